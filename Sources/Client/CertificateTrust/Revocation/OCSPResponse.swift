// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An OCSP response (RFC 6960 section 4.2), read but not yet judged.
public struct OCSPResponse: Hashable, Sendable {
    /// Why a responder gives no answer (RFC 6960 section 4.2.1).
    public enum Refusal: String, Hashable, Sendable, Codable {
        /// The request does not have the form of OCSP.
        case malformedRequest = "malformed-request"
        /// The responder has failed.
        case internalError = "internal-error"
        /// The responder cannot answer at the moment.
        case tryLater = "try-later"
        /// The responder answers only signed requests.
        case signatureRequired = "signature-required"
        /// The responder does not answer this client, or knows nothing of this certificate (RFC 5019 section 2.2.3).
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

    enum Content: Hashable {
        case refused(Refusal)
        case basic(BasicOCSPResponse)
    }

    /// The response as it came.
    public let derBytes: [UInt8]
    let content: Content

    /// Why the responder gives no answer; `nil` where it gives one.
    public var refusal: Refusal? {
        guard case .refused(let refusal) = content else { return nil }
        return refusal
    }

    /// Reads a response.
    ///
    /// - Parameter derEncoded: The response in DER, and nothing after it: a body of `application/ocsp-response`, or
    ///   what a server stapled.
    /// - Throws: ``RevocationEncodingError`` where it is malformed, or has another type, another version, or too many elements.
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

    /// Until when all of it holds; `nil` where there is no answer.
    package var nextUpdate: Date? {
        guard case .basic(let basic) = content else { return nil }
        return basic.answers.map(\.until).min()
    }
}
