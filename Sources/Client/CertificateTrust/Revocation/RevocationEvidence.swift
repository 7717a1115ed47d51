// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// Revocation lists (RFC 5280 section 5) and OCSP responses (RFC 6960), which show whether certificates are revoked.
public struct RevocationEvidence: Hashable, Sendable {
    /// An OCSP response, which was fetched or stapled.
    public struct Response: Hashable, Sendable {
        /// The OCSP response.
        public let response: OCSPResponse
        /// The nonce of the request (RFC 9654); `nil` if none was sent, as for a stapled response.
        public let nonce: [UInt8]?
        /// Whether the server sent the response in the handshake (RFC 6066 section 8, RFC 8446 section 4.4.2.1), which
        /// a certificate can require (RFC 7633).
        public let isStapled: Bool
        /// The source of the response.
        public let origin: EvidenceOrigin

        /// Makes a response that was fetched or given.
        ///
        /// - Parameters:
        ///   - response: The response.
        ///   - nonce: The nonce of the request; `nil` if none was sent.
        ///   - origin: The source of the response.
        public init(_ response: OCSPResponse, nonce: [UInt8]? = nil, from origin: EvidenceOrigin = .caller) {
            (self.response, self.nonce, isStapled, self.origin) = (response, nonce, false, origin)
        }

        /// Makes a response that the server sent in the handshake.
        ///
        /// - Parameter stapled: The response in DER. One that cannot be read, or has more than 65,536 bytes, has
        ///   ``RevocationProblem/malformed``.
        public init(stapled: [UInt8]) {
            (response, nonce, isStapled) = (OCSPResponse(stapled: stapled), nil, true)
            origin = EvidenceOrigin(.staple, at: nil, aboutParsed: nil)
        }
    }

    /// A source that was asked about a certificate, and gave no list or response.
    public struct Silence: Hashable, Sendable {
        /// The source, with the certificate about which it was asked.
        public let origin: EvidenceOrigin
        /// The reason, such as ``RevocationProblem/notFetched(_:_:)``.
        public let problem: RevocationProblem

        /// Makes the record of a source without evidence.
        public init(_ origin: EvidenceOrigin, _ problem: RevocationProblem) {
            (self.origin, self.problem) = (origin, problem)
        }
    }

    /// The revocation lists of any issuers, including deltas.
    ///
    /// Without its base list, a delta can only show that a certificate is revoked (RFC 5280 section 5.2.4).
    public var lists: [CertificateRevocationList]
    /// The OCSP responses, about any certificates.
    public var responses: [Response]
    /// The sources that gave no evidence, so that the verdict can name them.
    public var silent: [Silence]

    /// Makes evidence from lists and responses.
    public init(lists: [CertificateRevocationList] = [], responses: [Response] = [], silent: [Silence] = []) {
        self.lists = lists
        self.responses = responses
        self.silent = silent
    }

    /// The origins of the lists, then of the responses, then of the sources without evidence.
    var origins: [EvidenceOrigin] { lists.map(\.origin) + responses.map(\.origin) + silent.map(\.origin) }
}

/// The use of a revocation list or an OCSP response in an evaluation, across all paths and certificates.
@nonexhaustive
public enum EvidenceUse: Hashable, Sendable {
    /// The evidence was not read, because no path passed the other checks.
    case notReached
    /// The evidence is not about a certificate of a path.
    case unrelated
    /// The evidence is about a certificate, but shows nothing because of the problem.
    case unusable(RevocationProblem)
    /// The evidence was used. With a problem, it can only show that a certificate is revoked.
    case read(RevocationProblem?)

    /// Returns the more significant of two uses.
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
    /// Combines two lists of uses of the same evidence in the same order.
    mutating func combine(with others: [EvidenceUse]) {
        guard !others.isEmpty else { return }
        self = isEmpty ? others : zip(self, others).map { $0.combined(with: $1) }
    }
}

/// The result of the revocation check for one certificate of a path.
@nonexhaustive
public enum RevocationAnswer: Hashable, Sendable {
    /// The issuer states that the certificate is not revoked. The statement is valid until the given time.
    case good(until: Date)
    /// The issuer has revoked the certificate.
    case revoked(at: Date, reason: RevocationReason)
    /// The status is unknown, with the problem of the evidence; `nil` if there is no evidence.
    case unknown(RevocationProblem?)
    /// The policy does not require a check, and no available list or response is about the certificate.
    case notAsked
    /// The policy requires a check of the leaf only (``TrustPolicy/RevocationScope/leaf``), and no available list or
    /// response is about this certificate.
    case outOfScope
}

/// The reason for a revocation (RFC 5280 section 5.3.1).
public enum RevocationReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The issuer gave no reason.
    case unspecified
    /// The private key is known or suspected to be compromised.
    case keyCompromise = "key-compromise"
    /// The private key of an authority is known or suspected to be compromised.
    case authorityCompromise = "authority-compromise"
    /// Names or other information in the certificate have changed.
    case affiliationChanged = "affiliation-changed"
    /// Another certificate has replaced this one.
    case superseded
    /// The certificate is no longer needed for its purpose.
    case cessationOfOperation = "cessation-of-operation"
    /// The certificate is suspended; the issuer may release the hold.
    case certificateHold = "certificate-hold"
    /// A privilege stated in the certificate was withdrawn.
    case privilegeWithdrawn = "privilege-withdrawn"
    /// The private key of an attribute authority is known or suspected to be compromised.
    case attributeAuthorityCompromise = "attribute-authority-compromise"

    /// Makes a reason from its code in lists and responses.
    package init?(code: UInt8) {
        guard let reason = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = reason
    }

    /// The code of the reason in lists and responses.
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
