// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
public import X509

/// The revocation lists, OCSP responses and certificates in a file: PEM blocks (RFC 7468) with any text around them, or
/// one or more DER encodings in a row.
///
/// A CMS collection (RFC 5652 section 5.1, also with OCSP responses as in RFC 5940) contributes its lists, responses and
/// certificates. A part that cannot be read is listed with its reason, and the others are used.
public struct EvidenceFile: Hashable, Sendable {
    /// The kind of a part.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A revocation list (RFC 5280 section 5).
        case list
        /// An OCSP response (RFC 6960).
        case response
        /// A certificate, which can serve as an issuer.
        case certificate
        /// A CMS collection.
        case collection
        /// Bytes whose kind is not recognized.
        case unknown
    }

    /// A part that cannot be read.
    public struct UnreadablePart: Hashable, Sendable {
        /// The kind of the part.
        public let kind: Kind
        /// The position among the parts of the same kind, beginning at 1.
        public let position: Int
        /// The reason.
        public let reason: RevocationEncodingError

        /// The explanation, with the kind and the position of the part.
        public var explanation: String {
            "\(kind.title) \(position): \(reason.explanation.message)"
        }
    }

    /// The maximum number of parts that are read.
    private static let maximumCount = PEMBlock.maximumCount

    /// The revocation lists, in the order of the file.
    public private(set) var lists: [CertificateRevocationList] = []
    /// The OCSP responses, in the order of the file.
    public private(set) var responses: [OCSPResponse] = []
    /// The certificates, for ``TrustEvidence/issuers``.
    public private(set) var certificates: [Certificate] = []
    /// The parts that cannot be read.
    public private(set) var unreadable: [UnreadablePart] = []
    private var counts: [Kind: Int] = [:]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - origin: The source of the lists; an `EvidenceOrigin` of the kind `file` names the file in the verdict.
    public init(_ bytes: [UInt8], from origin: EvidenceOrigin = .caller) {
        if bytes.first != DERTag.sequence || PEMBlock.isLikely(bytes) {
            for kind in [Kind.list, .response, .certificate, .collection] {
                for block in PEMBlock.contents(labeled: kind.labels, in: bytes).prefix(Self.maximumCount) {
                    if let block { add(block[...], as: kind) } else { fail(kind, .notBase64) }
                }
            }
            if counts.isEmpty { fail(.unknown, .notPEM) }
        } else {
            addAll(in: bytes)
        }
        for index in lists.indices { lists[index].origin = origin }
    }

    /// Whether the file has no list and no response.
    public var isEmpty: Bool { lists.isEmpty && responses.isEmpty }

    /// Reads the DER encodings in a row.
    private mutating func addAll(in bytes: [UInt8]) {
        var reader = DERReader(bytes[...])
        var count = 0
        while !reader.isAtEnd {
            guard count < Self.maximumCount else { return fail(.unknown, .tooMany(.structure)) }
            count += 1
            guard let element = reader.next(), element.tag == DERTag.sequence else {
                // Text editors and transfers append line feeds.
                guard !reader.rest.allSatisfy({ [0x0a, 0x0d, 0x00].contains($0) }) else { return }
                return fail(.unknown, .malformed(.structure))
            }
            add(element.bytes, as: Kind(of: element))
        }
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>, as kind: Kind) {
        do throws(RevocationEncodingError) {
            switch kind {
            case .list: lists.append(try CertificateRevocationList(derEncoded: Array(bytes)))
            case .response: responses.append(try OCSPResponse(derEncoded: Array(bytes)))
            case .certificate: certificates.append(try Certificate(Self.bare(bytes), .certificate))
            case .collection: try addCollection(bytes)
            case .unknown: throw .malformed(.structure)
            }
            counts[kind, default: 0] += 1
        } catch {
            fail(kind, error)
        }
    }

    private mutating func fail(_ kind: Kind, _ reason: RevocationEncodingError) {
        counts[kind, default: 0] += 1
        unreadable.append(UnreadablePart(kind: kind, position: counts[kind] ?? 1, reason: reason))
    }

    /// Returns a certificate without the trust settings that OpenSSL appends to it.
    private static func bare(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var reader = DERReader(bytes)
        return reader.next()?.bytes ?? bytes
    }

    /// Reads the certificates and the revocation information of a SignedData, whose signatures are not needed.
    private mutating func addCollection(_ bytes: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(bytes)
        var contentInfo = try outer.open(DERTag.sequence, .structure)
        guard try contentInfo.take(DERTag.objectIdentifier, .structure).content.elementsEqual(Self.signedData) else {
            throw .unsupportedResponseType
        }
        var tagged = try contentInfo.open(DERTag.constructed(0), .structure)
        var fields = try tagged.open(DERTag.sequence, .structure)
        while let field = fields.next() {
            let isCertificates = field.tag == DERTag.constructed(0)
            guard isCertificates || field.tag == DERTag.constructed(1) else { continue }
            var parts = DERReader(field.content)
            var count = 0
            while let part = parts.next() {
                guard count < Self.maximumCount else { throw .tooMany(.structure) }
                count += 1
                switch part.tag {
                case DERTag.sequence: add(part.bytes, as: isCertificates ? .certificate : .list)
                case DERTag.constructed(1) where !isCertificates: addOther(DERReader(part.content))
                default: continue
                }
            }
        }
    }

    /// Adds an OCSP response in the form OtherRevocationInfoFormat (RFC 5940 section 3).
    private mutating func addOther(_ fields: DERReader) {
        var fields = fields
        guard let format = fields.next(), format.content.elementsEqual(Self.responseFormat),
            let response = fields.next()
        else { return fail(.unknown, .malformed(.structure)) }
        add(response.bytes, as: .response)
    }

    /// The object identifier 1.2.840.113549.1.7.2.
    private static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
    /// The object identifier id-ri-ocsp-response, 1.3.6.1.5.5.7.16.2.
    private static let responseFormat: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x10, 0x02]
}

extension EvidenceFile.Kind {
    /// The labels of PEM blocks.
    fileprivate var labels: [String] {
        switch self {
        case .list: ["X509 CRL", "CRL"]
        case .response: ["OCSP RESPONSE"]
        case .certificate: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .collection: ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]
        case .unknown: []
        }
    }

    fileprivate var title: String {
        switch self {
        case .list: "Revocation list"
        case .response: "OCSP response"
        case .certificate: "Certificate"
        case .collection: "CMS collection"
        case .unknown: "Part"
        }
    }

    /// Determines the kind of a DER sequence by its first fields.
    fileprivate init(of element: DERReader.Element) {
        var fields = DERReader(element.content)
        guard let first = fields.next() else {
            self = .unknown
            return
        }
        switch first.tag {
        case DERTag.enumerated: self = .response
        case DERTag.objectIdentifier: self = .collection
        case DERTag.sequence: self = Self.isCertificate(first.content) ? .certificate : .list
        default: self = .unknown
        }
    }

    /// Returns whether signed fields are those of a certificate, in which a validity follows the issuer; in a list, a
    /// time follows it (RFC 5280 sections 4.1 and 5.1).
    private static func isCertificate(_ content: ArraySlice<UInt8>) -> Bool {
        var fields = DERReader(content)
        guard fields.nextTag != DERTag.constructed(0) else { return true }
        if fields.nextTag == DERTag.integer { _ = fields.next() }
        (_, _) = (fields.next(), fields.next())
        return fields.nextTag == DERTag.sequence
    }
}
