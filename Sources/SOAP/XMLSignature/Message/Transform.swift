// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A step from what a reference names to what is digested (XML Signature 1.1 section 6.6).
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
    /// Reads a `CanonicalizationMethod`, or a `Transform` that names one.
    init(_ element: XMLElement) throws(XMLSignatureError) {
        let uri = try element.algorithm
        guard let method = CanonicalizationMethod(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
        self.init(method)
        guard let parameters = element.children.first else { return }
        guard element.children.count == 1,
            parameters.name == XMLName("InclusiveNamespaces", in: XMLName.exclusiveNamespace)
        else { throw .malformedSignature(element: element.name.local, line: element.line) }
        let prefixes = (parameters[XMLName("PrefixList")] ?? "").split(whereSeparator: \.isXMLSpace)
        // Each of them is looked for at each element.
        guard prefixes.count <= 100 else {
            throw .malformedSignature(element: parameters.name.local, line: parameters.line)
        }
        inclusivePrefixes = prefixes.map(String.init)
    }
}

extension XMLElement {
    /// The URI of its algorithm.
    var algorithm: String {
        get throws(XMLSignatureError) {
            guard let uri = self[XMLName("Algorithm")] else {
                throw .malformedSignature(element: name.local, line: line)
            }
            return uri
        }
    }

    /// Its text, which may hold nothing else.
    var value: String {
        get throws(XMLSignatureError) {
            guard let text else { throw .malformedSignature(element: name.local, line: line) }
            return text
        }
    }

    /// The bytes that its text holds in base64.
    var bytes: [UInt8] {
        get throws(XMLSignatureError) {
            guard let bytes = try [UInt8](xmlBase64: value) else {
                throw .malformedSignature(element: name.local, line: line)
            }
            return bytes
        }
    }

    /// Its element of a name, which must be there once.
    func only(_ name: XMLName) throws(XMLSignatureError) -> XMLElement {
        guard let child = child(name) else { throw .malformedSignature(element: name.local, line: line) }
        return child
    }
}
