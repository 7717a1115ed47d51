// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import Encodings
internal import XMLDocuments

/// A parsed `Signature` element (XML Signature 1.1 section 4).
struct SignatureMessage {
    let element: XMLElement
    let signedInfo: XMLElement
    let canonicalization: Canonicalization
    let algorithm: XMLSignatureAlgorithm
    let references: [Reference]
    let value: [UInt8]
    let keyInfo: XMLElement?

    /// The maximum number of elements in a `SignedInfo`.
    private static let maximumElementCount = 1_000

    /// A reference to signed content, with its digest.
    struct Reference {
        let uri: String?
        let transforms: [Transform]
        let algorithm: XMLDigestAlgorithm
        let digest: [UInt8]
    }

    /// Reads a `Signature`, whose elements must be in the order of the schema.
    init(_ element: XMLElement) throws(XMLSignatureError) {
        self.element = element
        let parts = element.children
        guard parts.count >= 2, parts[0].name == .ds("SignedInfo"), parts[1].name == .ds("SignatureValue") else {
            throw .malformedSignature(element: "Signature", line: element.line)
        }
        let rest = parts.dropFirst(2)
        keyInfo = rest.first.flatMap { $0.name == .ds("KeyInfo") ? $0 : nil }
        guard rest.dropFirst(keyInfo == nil ? 0 : 1).allSatisfy({ $0.name == .ds("Object") }) else {
            throw .malformedSignature(element: "Signature", line: element.line)
        }
        signedInfo = parts[0]
        value = try parts[1].bytes
        // SignedInfo is canonicalized entirely before the signer is authenticated.
        var count = 0
        signedInfo.forEach { _ in count += 1 }
        guard count <= Self.maximumElementCount else { throw .tooManyElements(limit: Self.maximumElementCount) }
        let info = signedInfo.children
        guard info.count >= 3, info[0].name == .ds("CanonicalizationMethod"), info[1].name == .ds("SignatureMethod"),
            info.dropFirst(2).allSatisfy({ $0.name == .ds("Reference") })
        else { throw .malformedSignature(element: "SignedInfo", line: signedInfo.line) }
        canonicalization = try Canonicalization(info[0])
        algorithm = try Self.algorithm(of: info[1])
        var references: [Reference] = []
        for reference in info.dropFirst(2) { references.append(try Reference(reference)) }
        self.references = references
    }

    private static func algorithm(of method: XMLElement) throws(XMLSignatureError) -> XMLSignatureAlgorithm {
        let uri = try method.algorithm
        guard let algorithm = XMLSignatureAlgorithm(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
        guard let parameters = method.children.first else { return algorithm }
        guard method.children.count == 1, parameters.name == .ds("HMACOutputLength"),
            let length = algorithm.codeLength
        else { throw .malformedSignature(element: "SignatureMethod", line: method.line) }
        guard try parameters.value == "\(length)" else { throw .truncatedCode }
        return algorithm
    }
}

extension SignatureMessage.Reference {
    fileprivate init(_ element: XMLElement) throws(XMLSignatureError) {
        var parts = element.children[...]
        var transforms: [Transform] = []
        if let first = parts.first, first.name == .ds("Transforms") {
            parts = parts.dropFirst()
            for transform in first.children {
                guard transform.name == .ds("Transform") else {
                    throw .malformedSignature(element: "Transforms", line: first.line)
                }
                transforms.append(try Transform(transform))
            }
        }
        guard parts.count == 2, let method = parts.first, let value = parts.last, method.name == .ds("DigestMethod"),
            value.name == .ds("DigestValue")
        else { throw .malformedSignature(element: "Reference", line: element.line) }
        let uri = try method.algorithm
        guard let algorithm = XMLDigestAlgorithm(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
        self.init(
            uri: element[XMLName("URI")], transforms: transforms, algorithm: algorithm, digest: try value.bytes)
    }
}

extension XMLSignatureAlgorithm {
    /// The length of a message authentication code in bits; `nil` for signatures.
    fileprivate var codeLength: Int? {
        switch self {
        case .hmacSHA1: 160
        case .hmacSHA224: 224
        case .hmacSHA256: 256
        case .hmacSHA384: 384
        case .hmacSHA512: 512
        default: nil
        }
    }
}

/// A transform, which is a step from the referenced content to the digested bytes (XML Signature 1.1 section 6.6).
enum Transform {
    case enveloped
    case base64
    case canonicalization(Canonicalization)
    case xpath(XPathFilter)
    case filter2([(operation: FilterOperation, filter: XPathFilter)])

    enum FilterOperation: String {
        case intersect, subtract, union
    }

    static let envelopedURI = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    static let base64URI = "http://www.w3.org/2000/09/xmldsig#base64"
    static let xpathURI = "http://www.w3.org/TR/1999/REC-xpath-19991116"
    static let filter2URI = "http://www.w3.org/2002/06/xmldsig-filter2"

    var isCanonicalization: Bool { if case .canonicalization = self { true } else { false } }

    /// Reads a `Transform`.
    init(_ element: XMLElement) throws(XMLSignatureError) {
        let uri = try element.algorithm
        switch uri {
        case Self.envelopedURI: self = .enveloped
        case Self.base64URI: self = .base64
        case Self.xpathURI:
            let filter = try element.only(.ds("XPath"))
            self = .xpath(XPathFilter(expression: try filter.value, place: filter))
        case Self.filter2URI:
            var steps: [(FilterOperation, XPathFilter)] = []
            for filter in element.children {
                guard filter.name == XMLName("XPath", in: Self.filter2URI),
                    let operation = filter[XMLName("Filter")].flatMap(FilterOperation.init)
                else { throw .malformedSignature(element: "XPath", line: filter.line) }
                steps.append((operation, XPathFilter(expression: try filter.value, place: filter)))
            }
            self = .filter2(steps)
        default:
            guard CanonicalizationMethod(rawValue: uri) != nil else {
                throw .unsupportedAlgorithm(uri)
            }
            self = .canonicalization(try Canonicalization(element))
        }
    }
}

extension Canonicalization {
    /// Reads a `CanonicalizationMethod`, or a `Transform` with a canonicalization method.
    init(_ element: XMLElement) throws(XMLSignatureError) {
        let uri = try element.algorithm
        guard let method = CanonicalizationMethod(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
        self.init(method)
        guard let parameters = element.children.first else { return }
        guard element.children.count == 1,
            parameters.name == XMLName("InclusiveNamespaces", in: XMLName.exclusiveNamespace)
        else { throw .malformedSignature(element: element.name.local, line: element.line) }
        let prefixes = (parameters[XMLName("PrefixList")] ?? "").split(whereSeparator: \.isXMLSpace)
        // The writer searches for each prefix at each element.
        guard prefixes.count <= 100 else {
            throw .malformedSignature(element: parameters.name.local, line: parameters.line)
        }
        inclusivePrefixes = prefixes.map(String.init)
    }
}

extension XMLElement {
    /// The URI of the element's algorithm.
    var algorithm: String {
        get throws(XMLSignatureError) {
            guard let uri = self[XMLName("Algorithm")] else {
                throw .malformedSignature(element: name.local, line: line)
            }
            return uri
        }
    }

    /// The text of the element, which must contain nothing else.
    var value: String {
        get throws(XMLSignatureError) {
            guard let text else { throw .malformedSignature(element: name.local, line: line) }
            return text
        }
    }

    /// The bytes that the element's text encodes in base64.
    var bytes: [UInt8] {
        get throws(XMLSignatureError) {
            guard let bytes = try Base64.decode(value, as: .mime) else {
                throw .malformedSignature(element: name.local, line: line)
            }
            return bytes
        }
    }

    /// Returns the child element with the given name, which must occur exactly once.
    func only(_ name: XMLName) throws(XMLSignatureError) -> XMLElement {
        guard let child = child(name) else { throw .malformedSignature(element: name.local, line: line) }
        return child
    }
}

extension XMLTree {
    /// Parses a document, and converts the parser's error into an ``XMLSignatureError``.
    static func parse(_ bytes: [UInt8], limits: XMLLimits) throws(XMLSignatureError) -> XMLTree {
        try withDocumentErrors { () throws(XMLDocumentError) in try XMLTree(parsing: bytes, limits: limits) }
    }

    /// Returns the signature at a path; for an empty path the only signature, not counting signatures nested in it.
    func signature(at path: [XMLName]) throws(XMLSignatureError) -> XMLElement {
        guard path.isEmpty else {
            guard path.last == .ds("Signature") else { throw .noSignature }
            return try withDocumentErrors { () throws(XMLDocumentError) in try element(at: path) }
        }
        var found: [XMLElement] = []
        root.forEach { element in
            guard element.pointer.pointee.name?.pointee == 0x53, element.name == .ds("Signature") else { return }
            let isNested = sequence(first: element, next: \.parent).dropFirst().contains { found.contains($0) }
            if !isNested { found.append(element) }
        }
        guard let signature = found.first else { throw .noSignature }
        guard found.count == 1 else { throw .severalSignatures(count: found.count) }
        return signature
    }
}

/// Converts document errors of the closure into an ``XMLSignatureError``.
func withDocumentErrors<Result>(_ body: () throws(XMLDocumentError) -> Result) throws(XMLSignatureError) -> Result {
    do {
        return try body()
    } catch {
        throw .document(error)
    }
}
