// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes a line to standard output at once, so that a program that reads it need not wait.
///
/// - Returns: Whether a reader is still there.
@discardableResult
package func writeLine(_ text: String) -> Bool {
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Writes a line about the work, such as a warning, to standard error.
package func writeNote(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

extension String {
    /// The text as one line that cannot change how a terminal behaves: each character that is not printable is written as `\u{9b}`.
    package var printable: String {
        unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}
