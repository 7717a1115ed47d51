// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that a session is configured from: certificates and keys, which are small.
struct ConfigurationFile {
    /// Largest file that is read, in bytes.
    static let sizeLimit = 16 << 20

    let path: String

    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` where the URL names no file of this machine (RFC 8089 section 2).
    init(_ url: URL) throws(SessionError) {
        guard url.isFileURL, ["", "localhost"].contains(url.host(percentEncoded: false) ?? "") else {
            throw .request(.invalidURL(Redaction.unreadableURL(url.absoluteString), .notAFile))
        }
        path = url.path
    }

    /// Reads the file whole, and a pipe to its end.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``; `EFBIG` is the code of a file above ``sizeLimit``.
    func read() throws(SessionError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        guard FileState(descriptor: descriptor)?.isFolder == false else { throw failure(EISDIR) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = readPart(from: descriptor, into: &part)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
            guard bytes.count <= Self.sizeLimit else { throw failure(EFBIG) }
        }
    }

    private func failure(_ code: Int32) -> SessionError { .file(.failed(path: path, .read, code: code)) }
}

private func readPart(from descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
}
