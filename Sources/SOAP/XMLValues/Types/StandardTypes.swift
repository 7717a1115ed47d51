// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Every type of texts: `string`, `token`, `anyURI`, `ID` and others.
extension String: XMLSimpleType {
    /// `xsd:string`.
    public static var xmlType: XMLName? { .schema("string") }

    /// ``XMLWhiteSpace/preserve``: white space stays as it is.
    public static var whiteSpace: XMLWhiteSpace { .preserve }

    /// Takes the text as it is.
    public init(xmlText text: String, in scope: XMLScope) { self = text }

    /// Returns the text as it is.
    public func xmlText(in scope: inout XMLScope) -> String { self }
}

extension XMLName {
    /// A name of XML Schema's own types.
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

/// `integer`, and those types derived from it that have no bound within 64 bits, such as `nonNegativeInteger`.
extension Int: XMLSimpleType {
    /// `xsd:integer`.
    public static var xmlType: XMLName? { .schema("integer") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "integer")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `long`.
extension Int64: XMLSimpleType {
    /// `xsd:long`.
    public static var xmlType: XMLName? { .schema("long") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "long")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `int`.
extension Int32: XMLSimpleType {
    /// `xsd:int`.
    public static var xmlType: XMLName? { .schema("int") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "int")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `short`.
extension Int16: XMLSimpleType {
    /// `xsd:short`.
    public static var xmlType: XMLName? { .schema("short") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "short")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `byte`.
extension Int8: XMLSimpleType {
    /// `xsd:byte`.
    public static var xmlType: XMLName? { .schema("byte") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "byte")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `unsignedLong`.
extension UInt64: XMLSimpleType {
    /// `xsd:unsignedLong`.
    public static var xmlType: XMLName? { .schema("unsignedLong") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "unsignedLong")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `unsignedInt`.
extension UInt32: XMLSimpleType {
    /// `xsd:unsignedInt`.
    public static var xmlType: XMLName? { .schema("unsignedInt") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "unsignedInt")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `unsignedShort`.
extension UInt16: XMLSimpleType {
    /// `xsd:unsignedShort`.
    public static var xmlType: XMLName? { .schema("unsignedShort") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "unsignedShort")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

/// `unsignedByte`.
extension UInt8: XMLSimpleType {
    /// `xsd:unsignedByte`.
    public static var xmlType: XMLName? { .schema("unsignedByte") }

    /// Reads decimal digits with or without a sign.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` where the text is not an integer, and ``XMLValueError/doesNotFit(text:type:at:)``
    ///   where it is out of the type's range.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        self = try Self.parse(xml: text, type: "unsignedByte")
    }

    /// Returns the number in decimal digits, with a minus sign if it is negative.
    public func xmlText(in scope: inout XMLScope) -> String { description }
}

extension FixedWidthInteger {
    /// The number of a text; those that do not fit have an error of their own.
    fileprivate static func parse(xml text: String, type: String) throws(XMLValueError) -> Self {
        if let number = Self(text) { return number }
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalid(text: text, type: type)
        }
        throw .doesNotFit(text: text, type: type)
    }
}

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

/// `QName`: a name that is written with a prefix for its namespace.
extension XMLName: XMLSimpleType {
    /// `xsd:QName`.
    public static var xmlType: XMLName? { .schema("QName") }

    /// Reads a name with or without a prefix; without one it is in the default namespace.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)`` and ``XMLValueError/undeclaredPrefix(_:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let local = parts.last, parts.allSatisfy(\.isXMLName) else { throw .invalid(text: text, type: "QName") }
        let prefix = parts.count == 2 ? parts[0] : ""
        guard let namespace = scope.namespace(ofPrefix: prefix) else { throw .undeclaredPrefix(prefix) }
        self.init(local, in: namespace)
    }

    /// Returns the name with a prefix, which is declared if needed; without one where the name has no namespace.
    ///
    /// - Throws: ``XMLValueError/name(_:at:)`` where the local part cannot be written.
    public func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String {
        guard local.isXMLName else { throw .name(local) }
        let prefix = scope.prefix(for: namespace)
        return prefix.isEmpty ? local : "\(prefix):\(local)"
    }
}
