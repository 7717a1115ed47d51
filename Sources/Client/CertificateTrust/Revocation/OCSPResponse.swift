// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
package import EssentialFoundation
import X509

/// An OCSP response (RFC 6960 section 4.2), parsed but not yet verified.
public struct OCSPResponse: Hashable, Sendable {
    /// The reason why a responder gives no answer (RFC 6960 section 4.2.1).
    public enum Refusal: String, Hashable, Sendable, Codable {
        /// The request is not a valid OCSP request.
        case malformedRequest = "malformed-request"
        /// The responder has failed.
        case internalError = "internal-error"
        /// The responder cannot answer at the moment.
        case tryLater = "try-later"
        /// The responder answers only signed requests.
        case signatureRequired = "signature-required"
        /// The responder does not answer this client, or does not know the certificate (RFC 5019 section 2.2.3).
        case unauthorized

        init?(code: UInt8) {
            switch code {
            case 1: self = .malformedRequest
            case 2: self = .internalError
            case 3: self = .tryLater
            case 5: self = .signatureRequired
            case 6: self = .unauthorized
            default: return nil
            }
        }
    }

    /// The maximum size of a stapled response in bytes; responses have less than 10,000 bytes.
    private static let maximumStapledSize = 1 << 16

    enum Content: Hashable {
        /// The server stapled something that is not a response.
        case unreadable
        case refused(Refusal)
        case basic(BasicOCSPResponse)
    }

    /// The original bytes of the response.
    public let derBytes: [UInt8]
    let content: Content

    /// The reason why the responder gives no answer; `nil` if it gives one.
    public var refusal: Refusal? {
        guard case .refused(let refusal) = content else { return nil }
        return refusal
    }

    /// Reads a response.
    ///
    /// - Parameter derEncoded: The response in DER, without trailing bytes: a body of type `application/ocsp-response`.
    /// - Throws: ``RevocationEncodingError`` if it is malformed, or
    ///   has another type, another version, or too many elements.
    public init(derEncoded: [UInt8]) throws(RevocationEncodingError) {
        derBytes = derEncoded
        var outer = DERReader(derEncoded[...])
        var fields = try outer.open(DERTag.sequence, .structure)
        try outer.finish(.structure)
        let status = try fields.take(DERTag.enumerated, .status).content
        guard let code = status.first, status.count == 1 else { throw .malformed(.status) }
        guard code == 0 else {
            guard let refusal = Refusal(code: code) else { throw .malformed(.status) }
            try fields.finish(.structure)
            content = .refused(refusal)
            return
        }
        var tagged = try fields.open(DERTag.constructed(0), .structure)
        try fields.finish(.structure)
        var typed = DERReader(try tagged.only(DERTag.sequence, .structure).content)
        let type = try typed.take(DERTag.objectIdentifier, .structure).content
        guard type.elementsEqual(OCSPIdentifiers.basicResponse) else { throw .unsupportedResponseType }
        content = .basic(try BasicOCSPResponse(typed.only(DERTag.octetString, .structure).content))
    }

    /// Reads a stapled response, whose defect is a finding of the evaluation instead of an error.
    init(stapled: [UInt8]) {
        guard stapled.count <= Self.maximumStapledSize, let response = try? OCSPResponse(derEncoded: stapled) else {
            (derBytes, content) = (Array(stapled.prefix(Self.maximumStapledSize)), .unreadable)
            return
        }
        self = response
    }

    /// The time until which all answers are valid; `nil` if there are none.
    package var nextUpdate: Date? {
        guard case .basic(let basic) = content else { return nil }
        return basic.answers.map(\.until).min()
    }
}

/// A basic response, the signed content of a successful response (RFC 6960 section 4.2.1).
struct BasicOCSPResponse: Hashable, Sendable {
    /// The maximum number of answers; a response to this client's requests has one, and pre-produced responses may have
    /// a few more.
    private static let answerLimit = 64
    let signed: SignedObject
    let responder: OCSPResponderID
    let producedAt: Date
    let answers: [OCSPAnswer]
    let extensions: [EncodedExtension]
    /// The certificates, still encoded, because only the signer's is parsed.
    let certificates: [ArraySlice<UInt8>]
    /// Whether the response conforms to DER and the standard; otherwise it cannot show that a certificate is good.
    let isConforming: Bool

    /// Reads a response as far as possible; with formal errors it can still show that a certificate is revoked.
    init(_ bytes: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(bytes)
        var parts = DERReader(try outer.only(DERTag.sequence, .structure).content)
        signed = try SignedObject(from: &parts)
        certificates = try Self.certificates(in: &parts)
        try parts.finish(.structure)
        var signedReader = DERReader(signed.signedBytes)
        var fields = try signedReader.open(DERTag.sequence, .structure)
        var isConforming = true
        // The only version is the default, which DER omits.
        if let version = try fields.takeIfPresent(DERTag.constructed(0), .version) {
            guard version.content.elementsEqual([DERTag.integer, 1, 0]) else { throw .unsupportedVersion }
            isConforming = false
        }
        responder = try OCSPResponderID(from: &fields)
        producedAt = try fields.takeTime(isGeneralized: true, &isConforming)
        answers = try Self.answers(in: fields.open(DERTag.sequence, .structure), &isConforming)
        extensions = try EncodedExtension.all(tagged: 1, in: &fields, &isConforming)
        self.isConforming = isConforming && fields.isAtEnd
    }

    private static func certificates(
        in parts: inout DERReader
    ) throws(RevocationEncodingError) -> [ArraySlice<UInt8>] {
        guard var tagged = try parts.openIfPresent(DERTag.constructed(0), .certificate) else { return [] }
        var reader = DERReader(try tagged.only(DERTag.sequence, .certificate).content)
        var certificates: [ArraySlice<UInt8>] = []
        while !reader.rest.isEmpty {
            certificates.append(try reader.take(DERTag.sequence, .certificate).bytes)
        }
        return certificates
    }

    /// Reads the answers, skipping those that cannot be read.
    private static func answers(
        in reader: DERReader, _ isConforming: inout Bool
    ) throws(RevocationEncodingError) -> [OCSPAnswer] {
        var (reader, count) = (reader, 0)
        var answers: [OCSPAnswer] = []
        var problem: RevocationEncodingError?
        while !reader.isAtEnd {
            guard count < answerLimit else { throw .tooMany(.status) }
            count += 1
            let fields = try reader.open(DERTag.sequence, .structure)
            do throws(RevocationEncodingError) {
                answers.append(try OCSPAnswer(fields))
            } catch {
                problem = problem ?? error
            }
        }
        if let problem {
            guard !answers.isEmpty else { throw problem }
            isConforming = false
        }
        return answers
    }
}

/// The answer for one certificate (RFC 6960 section 4.2.1, SingleResponse).
struct OCSPAnswer: Hashable, Sendable {
    enum Status: Hashable {
        case good
        case revoked(at: Date?, reason: RevocationReason)
        case unknown
    }

    let certificateID: OCSPCertificateID
    let status: Status
    let thisUpdate: Date
    let nextUpdate: Date?
    let extensions: [EncodedExtension]
    /// Whether the answer conforms to DER and the standard.
    let isConforming: Bool

    /// The time until which the answer is valid.
    var until: Date { RevocationDates.end(thisUpdate: thisUpdate, nextUpdate: nextUpdate) }

    init(_ fields: DERReader) throws(RevocationEncodingError) {
        var (fields, isConforming) = (fields, true)
        certificateID = try OCSPCertificateID(from: &fields)
        status = try Self.status(from: &fields, &isConforming)
        thisUpdate = try fields.takeTime(isGeneralized: true, &isConforming)
        if var tagged = try fields.openIfPresent(DERTag.constructed(0), .time) {
            nextUpdate = try? tagged.takeTime(isGeneralized: true, &isConforming)
            if nextUpdate == nil || !tagged.isAtEnd { isConforming = false }
        } else {
            nextUpdate = nil
        }
        extensions = try EncodedExtension.all(tagged: 1, in: &fields, &isConforming)
        if let nextUpdate, nextUpdate < thisUpdate { isConforming = false }
        self.isConforming = isConforming && fields.isAtEnd
    }

    private static func status(
        from fields: inout DERReader, _ isConforming: inout Bool
    ) throws(RevocationEncodingError) -> Status {
        guard let element = fields.next() else { throw .malformed(.status) }
        switch element.tag {
        case DERTag.primitive(0) where element.content.isEmpty: return .good
        case DERTag.primitive(2) where element.content.isEmpty: return .unknown
        case DERTag.constructed(1): return revocation(DERReader(element.content), &isConforming)
        default: throw .malformed(.status)
        }
    }

    /// Reads a revocation, which counts even if its time and reason cannot be read.
    private static func revocation(_ fields: DERReader, _ isConforming: inout Bool) -> Status {
        var fields = fields
        let time = try? fields.takeTime(isGeneralized: true, &isConforming)
        var reason: RevocationReason? = .unspecified
        if !fields.isAtEnd {
            var tagged = fields.enter(DERTag.constructed(0))
            let codes = (try? tagged?.only(DERTag.enumerated, .status))?.content ?? []
            reason = codes.count == 1 ? codes.first.flatMap(RevocationReason.init(code:)) : nil
        }
        if time == nil || reason == nil || !fields.isAtEnd { isConforming = false }
        return .revoked(at: time, reason: reason ?? .unspecified)
    }
}

/// The responder identifier in a response (RFC 6960 section 4.2.2.3).
enum OCSPResponderID: Hashable, Sendable {
    case name(DistinguishedName)
    /// The SHA-1 hash of the key, which is only an identifier and proves nothing.
    case keyHash([UInt8])

    init(from fields: inout DERReader) throws(RevocationEncodingError) {
        if var tagged = try fields.openIfPresent(DERTag.constructed(1), .responder) {
            self = .name(try DistinguishedName(tagged.only(DERTag.sequence, .responder).bytes, .responder))
        } else {
            var tagged = try fields.open(DERTag.constructed(2), .responder)
            self = .keyHash(Array(try tagged.only(DERTag.octetString, .responder).content))
        }
    }

    func isFor(_ certificate: ParsedCertificate) -> Bool {
        switch self {
        case .name(let name): name == certificate.subjectName
        case .keyHash(let hash): (try? certificate.keyBits()).map { Insecure.SHA1.hash(data: $0) == hash } ?? false
        }
    }
}
