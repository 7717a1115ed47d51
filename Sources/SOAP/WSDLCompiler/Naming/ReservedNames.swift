// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Names with a meaning in Swift, in its library or in the runtime of generated code.
enum ReservedNames {
    /// Words that are identifiers in backticks only, or that read as something else without.
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "any", "as", "associatedtype", "async", "await", "borrow",
        "borrowing", "break", "case", "catch", "class", "consume", "consuming", "continue", "copy", "default",
        "defer", "deinit", "discard", "do", "each", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil",
        "operator", "package", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws", "true", "try",
        "typealias", "unsafe", "var", "where", "while", "yield",
    ]

    /// Members that Swift or the protocols of the runtime give a type, which its properties and methods must not have.
    static let members: Set<String> = ["init", "self", "xmlType"]

    /// Members that the cases of an enumeration must not have.
    ///
    /// `none` and `some` would be taken for those of `Optional`.
    static let cases: Set<String> = [
        "allCases", "begins", "encode", "hashValue", "init", "none", "rawValue", "self", "some", "whiteSpace",
        "xmlText",
        "xmlType",
    ]

    /// Members of a service.
    static let serviceMembers: Set<String> = ["call", "client", "init", "ports", "self", "send"]

    /// Types that generated code, or its callers, use without their module.
    static let types: Set<String> = [
        "Any", "AnyHashable", "AnyObject", "Actor", "Array", "AsyncSequence", "Bool", "CaseIterable", "Character",
        "Client", "Codable", "CodingKey", "Collection", "Comparable",
        "Copyable", "CustomStringConvertible", "Data", "Date", "Decimal", "Decodable",
        "Decoder", "Dictionary", "Double", "Encodable", "Encoder", "Equatable", "Error", "Float", "Float16", "Hashable",
        "Hasher", "Identifiable", "Indirect", "Int",
        "Int8", "Int16", "Int32", "Int64", "Int128", "IteratorProtocol", "MainActor", "Never", "Nillable",
        "NillableElement", "Operations", "OptionSet", "Optional",
        "Protocol", "Range", "RawRepresentable", "RawValue", "Result", "Self", "Sendable",
        "Sequence", "Session", "Set", "SOAPBodyParts", "SOAPClient", "SOAPEncoding", "SOAPFault", "SOAPFaultDetail",
        "SOAPHeader", "SOAPNothing", "SOAPOperation", "SOAPPort", "SOAPResponse", "SOAPService", "SOAPVersion",
        "String", "Substring", "Task", "TimeInterval", "TimeZone", "Type", "UInt", "UInt8", "UInt16", "UInt32",
        "UInt64", "UInt128", "URL", "UUID", "Void", "XMLAnyValue", "XMLAttachment", "XMLBinary", "XMLBinaryContent",
        "XMLCodable", "XMLContent", "XMLDate",
        "XMLDateTime", "XMLDay", "XMLDocumentError", "XMLDuration", "XMLElement", "XMLElementValue", "XMLEncoding",
        "XMLFacet",
        "XMLFacets", "XMLGroup", "XMLHexBinary", "XMLLimits", "XMLList", "XMLMonth", "XMLMonthDay", "XMLName",
        "XMLNode",
        "XMLParser", "XMLPlace", "XMLReader", "XMLReadingOptions", "XMLScope", "XMLSimpleType", "XMLSOAPArray",
        "XMLTime",
        "XMLTree", "XMLValueError", "XMLWhiteSpace", "XMLWildcard", "XMLWriter", "XMLYear", "XMLYearMonth",
    ]

    /// The names of characters that are neither letters nor digits.
    static let symbols: [Character: String] = [
        " ": "space", "!": "exclamation", "\"": "quote", "#": "hash", "$": "dollar", "%": "percent", "&": "ampersand",
        "'": "apostrophe", "(": "leftParenthesis", ")": "rightParenthesis", "*": "asterisk", "+": "plus", ",": "comma",
        "-": "minus", ".": "dot", "/": "slash", ":": "colon", ";": "semicolon", "<": "less", "=": "equals",
        ">": "greater", "?": "question", "@": "at", "[": "leftBracket", "\\": "backslash", "]": "rightBracket",
        "^": "caret", "_": "underscore", "`": "backtick", "{": "leftBrace", "|": "bar", "}": "rightBrace", "~": "tilde",
        "€": "euro", "£": "pound", "°": "degree", "≤": "atMost", "≥": "atLeast", "≠": "unequal", "×": "times",
    ]
}
