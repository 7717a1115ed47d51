// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file or pipe, read from its current position.
package final class InputDescriptor: Sendable {
    package let number: Int32
    /// For errors.
    package let path: String
    private let isOwned: Bool

    private init(number: Int32, path: String, isOwned: Bool) {
        (self.number, self.path, self.isOwned) = (number, path, isOwned)
    }

    package static var standard: InputDescriptor { inherited(STDIN_FILENO, "standard input") }

    /// A descriptor that the caller opened, and that stays open.
    package static func inherited(_ number: Int32, _ name: String) -> InputDescriptor {
        InputDescriptor(number: number, path: name, isOwned: false)
    }

    package convenience init(_ path: String) throws(FileError) {
        // Without O_NONBLOCK, opening a pipe that is not written would hold up the thread for ever.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw FileError(.read, path: path) }
        self.init(number: number, path: path, isOwned: true)
        guard FileState(descriptor: number)?.isFolder == false else {
            throw FileError(.read, path: path, code: EISDIR)
        }
    }

    deinit {
        if isOwned { close(number) }
    }

    /// In bytes; `nil` for a pipe or a device, whose length is not known.
    package var remainingLength: Int? {
        guard let state = FileState(descriptor: number), state.isRegular else { return nil }
        return max(state.length - Int(lseek(number, 0, SEEK_CUR)), 0)
    }

    /// Waits for a while.
    ///
    /// - Parameter timeout: In milliseconds.
    /// - Returns: Whether a read would now return at once.
    package func isReadable(within timeout: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, timeout) != 0
    }

    /// How long one wait lasts before it is looked whether the task was cancelled, in milliseconds.
    private static let timeout: Int32 = 100

    /// Reads what is there, and waits where nothing is until the task is cancelled.
    ///
    /// - Returns: How many bytes; 0 at the end.
    /// - Throws: ``FileError``, with `ECANCELED` where the task is cancelled first.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while true {
            while !isReadable(within: Self.timeout) {
                guard !Task.isCancelled else { throw FileError(.read, path: path, code: ECANCELED) }
            }
            let count = systemRead(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw FileError(.read, path: path) }
        }
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
