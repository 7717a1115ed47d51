// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// Revocation lists (RFC 5280 section 5) and OCSP responses (RFC 6960), which show whether certificates are revoked.
public struct RevocationEvidence: Hashable, Sendable {
    /// A response, and the nonce of its request (RFC 9654).
    public struct Response: Hashable, Sendable {
        /// The OCSP response.
        public let response: OCSPResponse
        /// The nonce of the request; `nil` where none was sent, as for a response that a server stapled.
        public let nonce: [UInt8]?

        /// Pairs a response with the nonce of its request.
        public init(_ response: OCSPResponse, nonce: [UInt8]? = nil) {
            self.response = response
            self.nonce = nonce
        }
    }

    /// Lists of any issuers, complete ones and deltas.
    ///
    /// Without its base list, a delta can only show that a certificate is revoked (RFC 5280 section 5.2.4).
    public var lists: [CertificateRevocationList]
    /// Responses, about any certificates.
    public var responses: [Response]

    /// Gathers lists and responses.
    public init(lists: [CertificateRevocationList] = [], responses: [Response] = []) {
        self.lists = lists
        self.responses = responses
    }
}

/// The use of a revocation list or an OCSP response for an evaluation, over all paths and certificates.
@nonexhaustive
public enum EvidenceUse: Hashable, Sendable {
    /// It was not looked at, because no path was good otherwise.
    case notReached
    /// It is about no certificate of a path.
    case unrelated
    /// It is about a certificate, and shows nothing of it, because of the problem.
    case unusable(RevocationProblem)
    /// It was read. With a problem, it can only show that a certificate is revoked.
    case read(RevocationProblem?)

    /// The better of two uses.
    func combined(with other: EvidenceUse) -> EvidenceUse { other.weight > weight ? other : self }

    private var weight: Int {
        switch self {
        case .notReached: 0
        case .unrelated: 1
        case .unusable: 2
        case .read(.some): 3
        case .read(nil): 4
        }
    }
}

extension [EvidenceUse] {
    /// Combines the uses of the same evidence, in the same order.
    mutating func combine(with others: [EvidenceUse]) {
        guard !others.isEmpty else { return }
        self = isEmpty ? others : zip(self, others).map { $0.combined(with: $1) }
    }
}

/// The answer to the question whether a certificate of a path is revoked.
@nonexhaustive
public enum RevocationAnswer: Hashable, Sendable {
    /// The issuer states that the certificate is not revoked. The statement is valid until the given time.
    case good(until: Date)
    /// The issuer has revoked the certificate.
    case revoked(at: Date, reason: RevocationReason)
    /// The question was asked, and not answered; `nil` where no answer came.
    case unknown(RevocationProblem?)
    /// The policy does not ask, and no list or response at hand is about the certificate.
    case notAsked
}

/// Why a certificate was revoked (RFC 5280 section 5.3.1).
public enum RevocationReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The issuer gave no reason.
    case unspecified
    /// The private key is known to others, or is thought to be.
    case keyCompromise = "key-compromise"
    /// The private key of an authority is known to others, or is thought to be.
    case authorityCompromise = "authority-compromise"
    /// The names in the certificate are no longer right.
    case affiliationChanged = "affiliation-changed"
    /// Another certificate has replaced it.
    case superseded
    /// The certificate is no longer needed for its purpose.
    case cessationOfOperation = "cessation-of-operation"
    /// The certificate is suspended; the issuer may lift the hold.
    case certificateHold = "certificate-hold"
    /// The owner no longer has a right that the certificate states.
    case privilegeWithdrawn = "privilege-withdrawn"
    /// The private key of an attribute authority is known to others, or is thought to be.
    case attributeAuthorityCompromise = "attribute-authority-compromise"

    /// Reads the number that lists and responses have.
    package init?(code: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }

    /// The number that lists and responses have.
    package var code: UInt8 {
        switch self {
        case .unspecified: 0
        case .keyCompromise: 1
        case .authorityCompromise: 2
        case .affiliationChanged: 3
        case .superseded: 4
        case .cessationOfOperation: 5
        case .certificateHold: 6
        case .privilegeWithdrawn: 9
        case .attributeAuthorityCompromise: 10
        }
    }
}
