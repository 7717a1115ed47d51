// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// All string types: `string`, `token`, `anyURI`, `ID` and others.
extension String: XMLSimpleType {
    /// `xsd:string`.
    public static var xmlType: XMLName? { .schema("string") }

    /// ``XMLWhiteSpace/preserve``: white space is unchanged.
    public static var whiteSpace: XMLWhiteSpace { .preserve }

    /// Creates a string from the unchanged text.
    public init(xmlText text: String, in scope: XMLScope) { self = text }

    /// Returns the unchanged text.
    public func xmlText(in scope: inout XMLScope) -> String { self }
}

extension XMLName {
    /// Returns a name in the XML Schema namespace.
    static func schema(_ local: String) -> XMLName { XMLName(local, in: XMLNamespace.schema) }
}

/// `boolean`.
extension Bool: XMLSimpleType {
    /// `xsd:boolean`.
    public static var xmlType: XMLName? { .schema("boolean") }

    /// Reads `true`, `false`, `1` and `0`.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        switch text {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw .invalid(text: text, type: "boolean")
        }
    }

    /// Returns `true` or `false`.
    public func xmlText(in scope: inout XMLScope) -> String { self ? "true" : "false" }
}

// MARK: Numbers

extension XMLSimpleType where Self: FixedWidthInteger {
    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` if the text is not an integer, and
    ///   ``XMLValueError/doesNotFit(text:type:at:)`` if it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        guard let number = Self(text) else {
            let type = Self.xmlType?.local ?? "integer"
            throw text.isXMLInteger ? .doesNotFit(text: text, type: type) : .invalid(text: text, type: type)
        }
        self = number
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

extension XMLSimpleType where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// Reads a decimal number with or without an exponent, `INF`, `-INF` and `NaN` (XML Schema Part 2 sections 3.2.4.1
    /// and 3.2.5.1).
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        switch text {
        case "INF", "+INF": self = .infinity
        case "-INF": self = -.infinity
        case "NaN": self = .nan
        default:
            // Swift also accepts hexadecimal numbers and texts such as "nan", which contain other letters.
            let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
            guard isDecimal, let number = Self(text) else {
                throw .invalid(text: text, type: Self.xmlType?.local ?? "double")
            }
            self = number
        }
    }

    /// Returns the shortest text that is read as the same number; `INF`, `-INF` or `NaN` for special values.
    public func xmlText(in scope: inout XMLScope) -> String {
        isNaN ? "NaN" : isInfinite ? (self < 0 ? "-INF" : "INF") : description
    }
}

/// `integer`, and the types derived from it that have no bound within 64 bits, such as `nonNegativeInteger`.
extension Int: XMLSimpleType {
    /// `xsd:integer`.
    public static var xmlType: XMLName? { .schema("integer") }
}

/// `long`.
extension Int64: XMLSimpleType {
    /// `xsd:long`.
    public static var xmlType: XMLName? { .schema("long") }
}

/// `int`.
extension Int32: XMLSimpleType {
    /// `xsd:int`.
    public static var xmlType: XMLName? { .schema("int") }
}

/// `short`.
extension Int16: XMLSimpleType {
    /// `xsd:short`.
    public static var xmlType: XMLName? { .schema("short") }
}

/// `byte`.
extension Int8: XMLSimpleType {
    /// `xsd:byte`.
    public static var xmlType: XMLName? { .schema("byte") }
}

/// `unsignedLong`.
extension UInt64: XMLSimpleType {
    /// `xsd:unsignedLong`.
    public static var xmlType: XMLName? { .schema("unsignedLong") }
}

/// `unsignedInt`.
extension UInt32: XMLSimpleType {
    /// `xsd:unsignedInt`.
    public static var xmlType: XMLName? { .schema("unsignedInt") }
}

/// `unsignedShort`.
extension UInt16: XMLSimpleType {
    /// `xsd:unsignedShort`.
    public static var xmlType: XMLName? { .schema("unsignedShort") }
}

/// `unsignedByte`.
extension UInt8: XMLSimpleType {
    /// `xsd:unsignedByte`.
    public static var xmlType: XMLName? { .schema("unsignedByte") }
}

/// `double`.
extension Double: XMLSimpleType {
    /// `xsd:double`.
    public static var xmlType: XMLName? { .schema("double") }
}

/// `float`.
extension Float: XMLSimpleType {
    /// `xsd:float`.
    public static var xmlType: XMLName? { .schema("float") }
}

/// `QName`: a name written with a prefix for its namespace.
extension XMLName: XMLSimpleType {
    /// `xsd:QName`.
    public static var xmlType: XMLName? { .schema("QName") }

    /// Reads a name with or without a prefix; a name without one is in the default namespace.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` and ``XMLValueError/undeclaredPrefix(_:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let local = parts.last, parts.allSatisfy(\.isXMLName) else { throw .invalid(text: text, type: "QName") }
        let prefix = parts.count == 2 ? parts[0] : ""
        guard let namespace = scope.namespace(ofPrefix: prefix) else { throw .undeclaredPrefix(prefix) }
        self.init(local, in: namespace)
    }

    /// Returns the name with a prefix, which is declared if needed; without a prefix if the name has no namespace.
    ///
    /// - Throws: ``XMLValueError/name(_:at:)`` if the local part cannot be written.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        guard local.isXMLName else { throw .name(local) }
        let prefix = scope.prefix(for: namespace)
        return prefix.isEmpty ? local : "\(prefix):\(local)"
    }
}
