// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A `Signature` as it stands in a document (XML Signature 1.1 section 4).
struct SignatureMessage {
    let element: XMLElement
    let signedInfo: XMLElement
    let canonicalization: Canonicalization
    let algorithm: SignatureAlgorithm
    let references: [Reference]
    let value: [UInt8]
    let keyInfo: XMLElement?

    /// The most elements of a `SignedInfo`.
    private static let mostElements = 1_000

    /// What was digested, and with what result.
    struct Reference {
        let uri: String?
        let transforms: [Transform]
        let algorithm: DigestAlgorithm
        let digest: [UInt8]
    }

    /// Reads a `Signature`, whose elements must come as the schema has them.
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
        // All of it is made canonical before anything says that a known signer wrote it.
        var count = 0
        signedInfo.forEach { _ in count += 1 }
        guard count <= Self.mostElements else { throw .tooManyElements(most: Self.mostElements) }
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

    private static func algorithm(of method: XMLElement) throws(XMLSignatureError) -> SignatureAlgorithm {
        let uri = try method.algorithm
        guard let algorithm = SignatureAlgorithm(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
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
        guard let algorithm = DigestAlgorithm(rawValue: uri) else { throw .unsupportedAlgorithm(uri) }
        self.init(
            uri: element[XMLName("URI")], transforms: transforms, algorithm: algorithm, digest: try value.bytes)
    }
}

extension SignatureAlgorithm {
    /// The bits of a message authentication code; `nil` for signatures.
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
