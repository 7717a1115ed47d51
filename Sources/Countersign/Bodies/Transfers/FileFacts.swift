// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the system knows of a file; links are followed.
package struct FileFacts: Hashable, Sendable {
    package let isRegular: Bool
    package let isFolder: Bool
    /// Who may do what with it: the lowest nine bits.
    package let permissions: UInt32
    /// In bytes.
    package let size: Int

    /// `nil` where there is none, or none that may be asked about.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// `nil` where it is not open.
    package init?(descriptor: Int32) {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        self.init(information)
    }

    private init(_ information: stat) {
        isRegular = information.st_mode & S_IFMT == S_IFREG
        isFolder = information.st_mode & S_IFMT == S_IFDIR
        permissions = UInt32(information.st_mode & 0o777)
        size = Int(information.st_size)
    }
}
