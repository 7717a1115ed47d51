// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

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
