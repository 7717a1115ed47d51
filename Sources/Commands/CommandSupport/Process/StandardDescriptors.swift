// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// File descriptors that the caller opened or left closed.
package enum StandardDescriptors {
    /// Looks for an option that names a descriptor that is closed.
    ///
    /// Later the number may belong to a file or a socket of this process. Call it before anything else is opened.
    ///
    /// - Parameter arguments: What follows the program's name.
    /// - Returns: The number of the first such descriptor; `nil` where there is none.
    package static func closedNumber(in arguments: [String]) -> Int? {
        let arguments = arguments.prefix { $0 != "--" }
        let named = zip(arguments, arguments.dropFirst() + [""]).compactMap { argument, next -> Int? in
            let parts = argument.split(separator: "=", maxSplits: 1)
            // Every option that reads a secret from a descriptor is named so.
            guard let option = parts.first, option.hasPrefix("--"), option.hasSuffix("-fd") else { return nil }
            return Int(parts.count > 1 ? String(parts[1]) : next)
        }
        return named.first { number in
            guard let descriptor = Int32(exactly: number), descriptor >= 0 else { return false }
            return fcntl(descriptor, F_GETFD) == -1 && errno == EBADF
        }
    }

    /// Occupies those that are closed, so that no file and no socket opened later becomes standard output.
    ///
    /// `/dev/null` is opened the wrong way round, as in GNU's coreutils: reading from a closed standard input and writing to a closed
    /// standard output stay errors (`EBADF`). Call it before anything else is opened.
    package static func occupyClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is given out, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
