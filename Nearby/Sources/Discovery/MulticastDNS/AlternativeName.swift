// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The next name to try if another host owns a name (RFC 6762 section 9, RFC 6763 appendix D).
package enum AlternativeName {
    /// Returns the next service name: `Printer`, `Printer (2)`, `Printer (3)`.
    package static func ofService(_ name: String) -> String { next(name, before: " (", after: ")") }

    /// Returns the next host name: `printer`, `printer-2`, `printer-3`.
    package static func ofHost(_ name: String) -> String { next(name, before: "-", after: "") }

    private static func next(_ name: String, before: String, after: String) -> String {
        var (base, number) = (Substring(name), 2)
        if name.hasSuffix(after) {
            let digits = name.dropLast(after.count).suffix { $0.isASCII && $0.isNumber }
            let head = name[..<digits.startIndex]
            if let old = Int(digits), old >= 2, old < 1_000_000_000, digits.first != "0", head.hasSuffix(before) {
                (base, number) = (head.dropLast(before.count), old + 1)
            }
        }
        let suffix = before + String(number) + after
        // A label has at most 63 bytes; characters are removed as a unit.
        while base.utf8.count + suffix.utf8.count > 63 { base.removeLast() }
        return base + suffix
    }
}

extension Substring {
    fileprivate func suffix(_ isIncluded: (Character) -> Bool) -> Substring {
        self[(lastIndex { !isIncluded($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
