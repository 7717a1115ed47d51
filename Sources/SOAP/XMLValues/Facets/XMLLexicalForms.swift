// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The texts that mean one value (XML Schema Part 2 section 2.3).
///
/// A pattern is about the text, so that it can ask for another one than the canonical text: `1.50` for a price.
enum XMLLexicalForms {
    /// How many zeros are tried.
    private static let mostZeros = 18

    /// Other texts of a value than the canonical one, the most usual first.
    static func others<Value: XMLSimpleType>(of value: Value, canonical text: String) -> [String] {
        switch value {
        case let value as Bool: [value ? "1" : "0"]
        case is XMLHexBinary: [text.lowercased()]
        case is XMLDecimalText, is Decimal, is any BinaryInteger, is any BinaryFloatingPoint:
            numbers(text, hasFraction: !(value is any BinaryInteger))
        case is XMLDateTime, is XMLTime: times(text)
        default: []
        }
    }

    /// With zeros at both ends, and with a plus.
    private static func numbers(_ text: String, hasFraction: Bool) -> [String] {
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = text.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return []
        }
        let digits = parts.count == 2 ? String(parts[1]) : ""
        let trailing = hasFraction ? 0...mostZeros : 0...0
        let fractions = trailing.map { count in
            digits.isEmpty && count == 0 ? "" : "." + digits + String(repeating: "0", count: count)
        }
        var wholes = (0...mostZeros).map { String(repeating: "0", count: $0) + whole }
        if hasFraction, whole == "0" { wholes.append("") }
        let unsigned = wholes.flatMap { whole in fractions.map { whole + $0 } }.filter { !$0.isEmpty }
        return unsigned.map { sign + $0 } + (sign.isEmpty ? unsigned.map { "+" + $0 } : [])
    }

    /// With zeros after the seconds, and with the other name of the zone UTC.
    private static func times(_ text: String) -> [String] {
        let offset = text.suffix(6)
        let zone = text.hasSuffix("Z") ? "Z" : offset.first == "+" || offset.first == "-" ? String(offset) : ""
        let time = text.dropLast(zone.count)
        let zones = ["Z", "+00:00"].contains(zone) ? ["Z", "+00:00"] : [zone]
        let point = time.contains(".") ? "" : "."
        let times = [String(time)] + (1...9).map { time + point + String(repeating: "0", count: $0) }
        return zones.flatMap { zone in times.map { $0 + zone } }
    }
}
