// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

/// The method that turns nodes into bytes.
///
/// The raw value is its URI.
public enum CanonicalizationMethod: String, CaseIterable, Sendable {
    /// Canonical XML 1.0, without comments.
    case inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
    /// Canonical XML 1.0, with comments.
    case inclusiveWithComments = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments"
    /// Canonical XML 1.1, without comments.
    case inclusive11 = "http://www.w3.org/2006/12/xml-c14n11"
    /// Canonical XML 1.1, with comments.
    case inclusive11WithComments = "http://www.w3.org/2006/12/xml-c14n11#WithComments"
    /// Exclusive XML Canonicalization 1.0, without comments.
    case exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    /// Exclusive XML Canonicalization 1.0, with comments.
    case exclusiveWithComments = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"

    var keepsComments: Bool {
        switch self {
        case .inclusive, .inclusive11, .exclusive: false
        case .inclusiveWithComments, .inclusive11WithComments, .exclusiveWithComments: true
        }
    }

    /// Whether it is Exclusive XML Canonicalization.
    package var isExclusive: Bool { self == .exclusive || self == .exclusiveWithComments }

    var mode: xmlC14NMode {
        switch self {
        case .inclusive, .inclusiveWithComments: XML_C14N_1_0
        case .inclusive11, .inclusive11WithComments: XML_C14N_1_1
        case .exclusive, .exclusiveWithComments: XML_C14N_EXCLUSIVE_1_0
        }
    }
}

/// A method of canonicalization with its parameters.
public struct Canonicalization: Hashable, Sendable {
    /// The method.
    public var method: CanonicalizationMethod
    /// The prefixes that an exclusive method treats as an inclusive one does; `#default` stands for the default namespace.
    public var inclusivePrefixes: [String]

    /// Creates a canonicalization from its parts; without prefixes by default.
    public init(_ method: CanonicalizationMethod, inclusivePrefixes: [String] = []) {
        (self.method, self.inclusivePrefixes) = (method, inclusivePrefixes)
    }
}
