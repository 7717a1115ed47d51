// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Names that have a meaning in Swift, its standard library or the runtime of generated code.
enum ReservedNames {
    /// Keywords, which are identifiers only in backticks or are ambiguous without them.
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "any", "as", "associatedtype", "async", "await", "borrow",
        "borrowing", "break", "case", "catch", "class", "consume", "consuming", "continue", "copy", "default",
        "defer", "deinit", "discard", "do", "each", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil",
        "operator", "package", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws", "true", "try",
        "typealias", "unsafe", "var", "where", "while", "yield",
    ]

    /// Members that Swift or the runtime's protocols add to a type, so that its properties and methods must have
    /// other names.
    static let members: Set<String> = ["init", "self", "xmlType"]

    /// Names that enumeration cases must not have.
    ///
    /// `none` and `some` would be confused with the cases of `Optional`.
    static let cases: Set<String> = [
        "allCases", "begins", "encode", "hashValue", "init", "none", "rawValue", "self", "some", "whiteSpace",
        "xmlText",
        "xmlType",
    ]

    /// The members of a service.
    static let serviceMembers: Set<String> = ["call", "client", "init", "ports", "self", "send"]

    /// Types that generated code or its callers use without a module name.
    static let types: Set<String> = [
        "Any", "AnyHashable", "AnyObject", "Actor", "Array", "AsyncSequence", "Bool", "CaseIterable", "Character",
        "Codable", "CodingKey", "Collection", "Comparable",
        "Copyable", "CustomStringConvertible", "Data", "Date", "Decimal", "Decodable",
        "Decoder", "Dictionary", "Double", "Encodable", "Encoder", "Equatable", "Error", "Float", "Float16", "Hashable",
        "HTTPSession", "Hasher", "Identifiable", "Indirect", "Int",
        "Int8", "Int16", "Int32", "Int64", "Int128", "IteratorProtocol", "MainActor", "Never", "Nillable",
        "NillableElement", "Operations", "OptionSet", "Optional",
        "Protocol", "Range", "RawRepresentable", "RawValue", "RequestSender", "Result", "Self", "Sendable",
        "Sequence", "Set", "SOAPBodyParts", "SOAPClient", "SOAPEncoding", "SOAPFault", "SOAPFaultDetail",
        "SOAPHeader", "SOAPEmptyBody", "SOAPOperation", "SOAPPort", "SOAPResponse", "SOAPService", "SOAPVersion",
        "String", "Substring", "Task", "TimeInterval", "TimeZone", "Type", "UInt", "UInt8", "UInt16", "UInt32",
        "UInt64", "UInt128", "URL", "UUID", "Void", "XMLAnyValue", "XMLAttachment", "XMLBinary",
        "XMLCodable", "XMLContent", "XMLDate",
        "XMLDateTime", "XMLDay", "XMLDocumentError", "XMLDuration", "XMLElement", "XMLElementValue",
        "XMLFacet",
        "XMLFacets", "XMLGroup", "XMLHexBinary", "XMLLimits", "XMLList", "XMLMonth", "XMLMonthDay", "XMLName",
        "XMLNode",
        "XMLParser", "XMLPlace", "XMLReader", "XMLReadingOptions", "XMLScope", "XMLSimpleType", "XMLSOAPArray",
        "XMLTime",
        "XMLTree", "XMLValueError", "XMLWhiteSpace", "XMLWildcard", "XMLWriter", "XMLYear", "XMLYearMonth",
    ]

    /// The names of characters other than letters and digits.
    static let symbols: [Character: String] = [
        " ": "space", "!": "exclamation", "\"": "quote", "#": "hash", "$": "dollar", "%": "percent", "&": "ampersand",
        "'": "apostrophe", "(": "leftParenthesis", ")": "rightParenthesis", "*": "asterisk", "+": "plus", ",": "comma",
        "-": "minus", ".": "dot", "/": "slash", ":": "colon", ";": "semicolon", "<": "less", "=": "equals",
        ">": "greater", "?": "question", "@": "at", "[": "leftBracket", "\\": "backslash", "]": "rightBracket",
        "^": "caret", "_": "underscore", "`": "backtick", "{": "leftBrace", "|": "bar", "}": "rightBrace", "~": "tilde",
        "€": "euro", "£": "pound", "°": "degree", "≤": "atMost", "≥": "atLeast", "≠": "unequal", "×": "times",
    ]
}
