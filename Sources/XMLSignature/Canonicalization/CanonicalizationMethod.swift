// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

/// How nodes become bytes (Canonical XML 1.0 and 1.1, Exclusive XML Canonicalization 1.0).
public enum CanonicalizationMethod: String, CaseIterable, Sendable {
    case inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
    case inclusiveWithComments = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments"
    case inclusive11 = "http://www.w3.org/2006/12/xml-c14n11"
    case inclusive11WithComments = "http://www.w3.org/2006/12/xml-c14n11#WithComments"
    case exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
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

/// A method with what it is told.
public struct Canonicalization: Hashable, Sendable {
    /// The method.
    public var method: CanonicalizationMethod
    /// The prefixes that an exclusive method treats as an inclusive one does; `#default` is the one without a name.
    public var inclusivePrefixes: [String]

    /// A canonicalization by its parts.
    public init(_ method: CanonicalizationMethod, inclusivePrefixes: [String] = []) {
        (self.method, self.inclusivePrefixes) = (method, inclusivePrefixes)
    }
}
