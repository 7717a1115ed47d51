// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import XMLDocuments

/// Foundation's decimal number, exported so that generated code need not import Foundation.
public typealias Decimal = EssentialFoundation.Decimal

/// `decimal`, without rounding.
extension Decimal: XMLSimpleType {
    /// `xsd:decimal`.
    public static var xmlType: XMLName? { .schema("decimal") }

    /// Reads a number with at most 38 significant digits.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if the text is not a decimal number, and
    ///   ``XMLValueError/doesNotFit(text:type:at:)`` if it has more digits or an exponent that `Decimal` cannot
    ///   represent, so that no digit is lost.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let digits = XMLDecimalDigits(text) else { throw .invalid(text: text, type: "decimal") }
        guard let number = digits.decimal else { throw .doesNotFit(text: text, type: "decimal") }
        self = number
    }

    /// Returns the number in decimal digits, never with an exponent.
    ///
    /// - Throws: ``XMLValueError/doesNotFit(text:type:at:)`` for NaN, which `xsd:decimal` does not have.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        guard isFinite else { throw .doesNotFit(text: "NaN", type: "decimal") }
        return description
    }
}

/// The digits of a decimal number's text (XML Schema Part 2 section 3.2.3.1).
struct XMLDecimalDigits {
    let isNegative: Bool
    /// The digits without leading zeros, and without trailing zeros of the fraction.
    let digits: [UInt8]
    /// The number of digits after the point, including leading zeros of the fraction.
    let fractionCount: Int

    init?(_ text: String) {
        var rest = text.utf8[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        var digits: [UInt8] = []
        var fraction: Int?
        for byte in rest {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte - UInt8(ascii: "0"))
                if let count = fraction { fraction = count + 1 }
            case UInt8(ascii: ".") where fraction == nil: fraction = 0
            default: return nil
            }
        }
        guard !digits.isEmpty else { return nil }
        var count = fraction ?? 0
        while count > 0, digits.last == 0 {
            digits.removeLast()
            count -= 1
        }
        self.digits = Array(digits.drop { $0 == 0 })
        fractionCount = self.digits.isEmpty ? 0 : count
    }

    /// The number; `nil` if it has more than 38 significant digits or an exponent that `Decimal` cannot represent.
    var decimal: Decimal? {
        let zeros = digits.reversed().prefix { $0 == 0 }.count
        let significant = digits.dropLast(zeros)
        let exponent = zeros - fractionCount
        guard significant.count <= 38, (-128...127).contains(exponent) else { return nil }
        var number = Decimal(0)
        // Nineteen digits fit into 64 bits.
        for part in [significant.dropLast(19), significant.suffix(19)] {
            let value = part.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
            if number != 0 { number = Decimal(sign: .plus, exponent: 19, significand: number) }
            number += Decimal(value)
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: number)
    }
}

extension XMLDecimalDigits {
    /// Returns whether the number is less than another one, for any number of digits.
    func isLess(than other: Self) -> Bool {
        guard sign == other.sign else { return sign < other.sign }
        return sign < 0 ? other.hasSmallerDigits(than: self) : hasSmallerDigits(than: other)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func hasSmallerDigits(than other: Self) -> Bool {
        let (count, otherCount) = (digits.count - fractionCount, other.digits.count - other.fractionCount)
        return count == otherCount ? digits.lexicographicallyPrecedes(other.digits) : count < otherCount
    }
}

/// The text of a `decimal` number with any number of digits, for values that are passed on without calculations.
package struct XMLDecimalText: XMLSimpleType, Hashable {
    /// The text that the number was read from.
    package let text: String
    let digits: XMLDecimalDigits

    package init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let digits = XMLDecimalDigits(text) else { throw .invalid(text: text, type: "decimal") }
        (self.text, self.digits) = (text, digits)
    }

    package func xmlText(in scope: inout XMLScope) -> String { text }

    package static func == (one: Self, other: Self) -> Bool {
        !one.digits.isLess(than: other.digits) && !other.digits.isLess(than: one.digits)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digits.digits) }
}
