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

extension TransferFile {
    /// Makes a file without a name, in the folder for temporary files.
    ///
    /// Only this program can open it, and the system removes it with its last reference, even where the program crashes.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``.
    package static func temporary() async throws -> TransferFile {
        let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        let path = FileManager.default.temporaryDirectory.appending(path: "countersign-\(words.joined())").path
        let file = try await creating(path, mode: 0o600)
        unlink(path)
        return file
    }
}
