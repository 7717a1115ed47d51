// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Something open that is read from its place on.
final class InputDescriptor: Sendable {
    let number: Int32
    /// For errors.
    let path: String
    private let isOwned: Bool

    private init(number: Int32, path: String, isOwned: Bool) {
        (self.number, self.path, self.isOwned) = (number, path, isOwned)
    }

    static var standard: InputDescriptor { inherited(STDIN_FILENO, "standard input") }

    /// What was open before, and stays so.
    static func inherited(_ number: Int32, _ name: String) -> InputDescriptor {
        InputDescriptor(number: number, path: name, isOwned: false)
    }

    convenience init(_ path: String) throws(FileError) {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw FileError(.read, path: path) }
        self.init(number: number, path: path, isOwned: true)
        guard FileState(descriptor: number)?.isFolder == false else {
            throw FileError(.read, path: path, code: EISDIR)
        }
    }

    deinit {
        if isOwned { close(number) }
    }

    /// In bytes; `nil` for what is no regular file, whose end nobody knows.
    var remainingLength: Int? {
        guard let state = FileState(descriptor: number), state.isRegular else { return nil }
        return max(state.length - Int(lseek(number, 0, SEEK_CUR)), 0)
    }

    /// Waits for a while.
    ///
    /// - Parameter timeout: In milliseconds.
    /// - Returns: Whether a read would now return at once.
    func isReadable(within timeout: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, timeout) != 0
    }

    /// Reads as much as there is, and waits where there is nothing.
    ///
    /// - Returns: How many bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while true {
            let count = systemRead(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw FileError(.read, path: path) }
            if errno == EAGAIN { _ = isReadable(within: -1) }
        }
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
