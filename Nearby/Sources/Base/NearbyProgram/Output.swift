// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes a line to standard output without buffering, so that a program that reads it receives it at once.
///
/// - Returns: Whether standard output is still open.
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

/// Writes a diagnostic line, such as a warning, to standard error.
package func writeNote(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

extension String {
    /// The text as a single line without terminal control: each nonprintable character is written as an escape such as
    /// `\u{9b}`.
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
