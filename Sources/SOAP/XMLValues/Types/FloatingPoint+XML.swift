// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// `double`.
extension Double: XMLSimpleType {
    /// `xsd:double`.
    public static var xmlType: XMLName? { .schema("double") }

    /// Reads a decimal number with or without an exponent, `INF`, `-INF` and `NaN`.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "double")
    }

    /// Returns the shortest text that is read as the same number; `INF`, `-INF` or `NaN` for the others.
    public func xmlText(in scope: inout XMLScope) -> String { xmlDescription }
}

/// `float`.
extension Float: XMLSimpleType {
    /// `xsd:float`.
    public static var xmlType: XMLName? { .schema("float") }

    /// Reads a decimal number with or without an exponent, `INF`, `-INF` and `NaN`.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "float")
    }

    /// Returns the shortest text that is read as the same number; `INF`, `-INF` or `NaN` for the others.
    public func xmlText(in scope: inout XMLScope) -> String { xmlDescription }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// XML Schema Part 2 sections 3.2.4.1 and 3.2.5.1.
    fileprivate static func parse(xml text: String, type: String) throws(XMLValueError) -> Self {
        switch text {
        case "INF", "+INF": return .infinity
        case "-INF": return -.infinity
        case "NaN": return .nan
        default:
            // Swift also reads hexadecimal digits and words, which all have other letters.
            let isDecimal = text.utf8.allSatisfy { byte in
                switch UInt8(ascii: "0")...UInt8(ascii: "9") {
                case let digits where digits.contains(byte): true
                default: "+-.eE".utf8.contains(byte)
                }
            }
            guard isDecimal, let number = Self(text) else { throw .invalid(text: text, type: type) }
            return number
        }
    }

    fileprivate var xmlDescription: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-INF" : "INF" }
        return description
    }
}
