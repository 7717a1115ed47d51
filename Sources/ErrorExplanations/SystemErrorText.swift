// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The system's words for an `errno`, such as "Permission denied".
package func systemErrorText(_ code: Int32) -> String { String(cString: strerror(code)) }
