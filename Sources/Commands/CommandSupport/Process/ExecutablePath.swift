// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The path of the running program.
package enum ExecutablePath {
    /// Absolute, without symbolic links; `nil` where the system does not tell.
    package static var current: String? {
        guard let path = realpath(given, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    #if canImport(Darwin)
        private static var given: [CChar] {
            var size = UInt32(PATH_MAX)
            var path = [CChar](repeating: 0, count: Int(size))
            return _NSGetExecutablePath(&path, &size) == 0 ? path : [0]
        }
    #else
        private static let given = "/proc/self/exe"
    #endif
}
