// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system did not start an external command.
struct ExternalCommandError: Error, Hashable {
    let path: String
    /// An `errno`.
    let code: Int32

    var reason: String { String(cString: strerror(code)) }
}
