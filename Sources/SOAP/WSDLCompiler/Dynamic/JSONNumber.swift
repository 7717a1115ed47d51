// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The differences between numbers of JSON and of XML Schema.
enum JSONNumber {
    /// A number of XML Schema as one of JSON; `nil` where JSON has none, as for infinity.
    static func literal(_ text: String) -> String? {
        var text = text[...]
        if text.hasPrefix("+") { text = text.dropFirst() }
        let isNegative = text.hasPrefix("-")
        if isNegative { text = text.dropFirst() }
        // By bytes: a message may hold a number of any length, and refer to it many times.
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
            .map(Substring.init)
        guard let mantissa = parts.first else { return nil }
        let digits = mantissa.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Substring.init)
        var whole = String(digits[0].drop { $0 == "0" })
        let fraction = digits.count == 2 ? String(digits[1]) : ""
        guard !(digits[0].isEmpty && fraction.isEmpty), (digits[0] + fraction).utf8.allSatisfy(isDigit) else {
            return nil
        }
        if whole.isEmpty { whole = "0" }
        var result = (isNegative ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
        if parts.count == 2 {
            let exponent = parts[1]
            let unsigned = exponent.hasPrefix("-") || exponent.hasPrefix("+") ? exponent.dropFirst() : exponent
            guard !unsigned.isEmpty, unsigned.utf8.allSatisfy(isDigit) else { return nil }
            result += "e" + exponent
        }
        return result
    }

    /// A number of JSON without an exponent, as decimals of XML Schema are written; `nil` where that is too long.
    static func decimal(_ text: String) -> String? {
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        guard parts.count == 2, let mantissa = parts.first else { return text }
        guard let exponent = Int(parts[1].hasPrefix("+") ? parts[1].dropFirst() : parts[1]),
            (-400...400).contains(exponent)
        else {
            return nil
        }
        let isNegative = mantissa.hasPrefix("-")
        let digits = (isNegative ? mantissa.dropFirst() : mantissa).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var all = digits.joined()
        var point = digits[0].count + exponent
        if point <= 0 {
            all = String(repeating: "0", count: 1 - point) + all
            point = 1
        } else if point > all.count {
            all += String(repeating: "0", count: point - all.count)
        }
        let place = all.index(all.startIndex, offsetBy: point)
        var whole = String(all[..<place].drop { $0 == "0" })
        if whole.isEmpty { whole = "0" }
        let fraction = String(all[place...].reversed().drop { $0 == "0" }.reversed())
        return (isNegative ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// A decimal without a fraction of zeros, which integers of XML Schema do not have: 2.0 is an integer in JSON.
    static func integer(_ decimal: String) -> String {
        let parts = decimal.split(separator: ".", maxSplits: 1)
        return parts.count == 2 && parts[1].allSatisfy { $0 == "0" } ? String(parts[0]) : decimal
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension BuiltInType {
    /// Whether its values are numbers in JSON.
    var isNumber: Bool {
        switch self {
        case .decimal, .float, .double, .integer, .nonPositiveInteger, .negativeInteger, .nonNegativeInteger,
            .positiveInteger, .long, .int, .short, .byte, .unsignedLong, .unsignedInt, .unsignedShort, .unsignedByte:
            true
        default: false
        }
    }
}
