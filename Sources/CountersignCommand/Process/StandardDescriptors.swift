// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// File descriptors 0 to 2, which a caller may have closed.
enum StandardDescriptors {
    /// Occupies those that are closed, so that no file and no socket opened later becomes standard output.
    ///
    /// `/dev/null` is opened the wrong way round, as in GNU's coreutils: reading from a closed standard input and writing to a closed
    /// standard output stay errors (`EBADF`). Call it before anything else is opened.
    static func occupyClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is given out, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
