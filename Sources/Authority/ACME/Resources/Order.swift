// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An order of a certificate, and its state (RFC 8555 section 7.1.3).
public struct Order: Codable, Hashable, Sendable {
    /// The state of an order (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// Some authorizations are not valid yet.
        case pending
        /// All authorizations are valid, and the order can be finalized.
        case ready
        /// The certificate is being made.
        case processing
        /// The authority has issued the certificate.
        case valid
        /// The order failed or expired.
        case invalid
    }

    /// The state of the order.
    public var status: Status
    /// When the order expires; `nil` if the authority does not say.
    public var expires: Timestamp?
    /// The names of the certificate.
    public var identifiers: [Identifier]
    /// From when the certificate is to be valid; `nil` leaves it to the authority.
    public var notBefore: Timestamp?
    /// Until when the certificate is to be valid; `nil` leaves it to the authority.
    public var notAfter: Timestamp?
    /// The kind of certificate: a key of ``Directory/Meta/profiles``; `nil` for the authority's usual kind.
    public var profile: String?
    /// The certificate that the new one replaces, as the text of its ``CertificateIdentifier``; `nil` for none (RFC 9773 section 5).
    public var replaces: String?
    /// The reason of a failure; `nil` where there is none.
    public var error: Problem?
    /// The URLs of the authorizations.
    public var authorizations: [String]
    /// The URL that takes the request for the certificate.
    public var finalize: String
    /// The URL of the certificate; `nil` before it is issued.
    public var certificate: String?

    /// An order by its parts.
    public init(
        status: Status, expires: Timestamp? = nil, identifiers: [Identifier], profile: String? = nil,
        replaces: String? = nil, error: Problem? = nil, authorizations: [String], finalize: String,
        certificate: String? = nil
    ) {
        (self.status, self.expires, self.identifiers, self.profile) = (status, expires, identifiers, profile)
        (self.replaces, self.error, self.authorizations) = (replaces, error, authorizations)
        (self.finalize, self.certificate) = (finalize, certificate)
    }
}

/// An authority's permission for an account to have certificates for an identifier, and its state (RFC 8555 section 7.1.4).
public struct Authorization: Codable, Hashable, Sendable {
    /// The state of an authorization (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has yet to answer one of the challenges.
        case pending
        /// The authority verified the answer to a challenge.
        case valid
        /// The authority did not find the answer to a challenge.
        case invalid
        /// The account deactivated the authorization.
        case deactivated
        /// The authorization has expired.
        case expired
        /// The authority revoked the authorization.
        case revoked
    }

    /// The identifier; that of a wildcard stands here without `*.`.
    public var identifier: Identifier
    /// The state of the authorization.
    public var status: Status
    /// When the authorization expires; `nil` if the authority does not say.
    public var expires: Timestamp?
    /// The challenges, of which the client answers one.
    public var challenges: [Challenge]
    /// Whether the order names a wildcard; `nil` means that it does not.
    public var wildcard: Bool?

    /// An authorization by its parts.
    public init(
        identifier: Identifier, status: Status, expires: Timestamp? = nil, challenges: [Challenge],
        wildcard: Bool? = nil
    ) {
        (self.identifier, self.status, self.expires) = (identifier, status, expires)
        (self.challenges, self.wildcard) = (challenges, wildcard)
    }
}

/// A way to prove that an account controls an identifier (RFC 8555 section 8).
public struct Challenge: Codable, Hashable, Sendable {
    /// How a challenge is answered; authorities may have more kinds than these.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the kind, such as `http-01`.
        public let rawValue: String

        /// A kind by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file of a web server on port 80 (RFC 8555 section 8.3).
        public static let http01 = Self(rawValue: "http-01")
        /// A TXT record (RFC 8555 section 8.4).
        public static let dns01 = Self(rawValue: "dns-01")
        /// A certificate on port 443 (RFC 8737).
        public static let tlsALPN01 = Self(rawValue: "tls-alpn-01")
    }

    /// The state of a challenge (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has not answered.
        case pending
        /// The authority is validating the answer.
        case processing
        /// The authority found the proof.
        case valid
        /// The authority did not find the proof.
        case invalid
    }

    /// How the challenge is answered.
    public var type: Kind
    /// The URL to which the client reports that it has answered.
    public var url: String
    /// The state of the challenge.
    public var status: Status
    /// When the authority found the proof; `nil` before.
    public var validated: Timestamp?
    /// Why the authority did not find the proof; `nil` if it has not failed.
    public var error: Problem?
    /// The token from which the proof is made; all kinds above have one, others may have `nil`.
    public var token: String?

    /// A challenge by its parts.
    public init(
        type: Kind, url: String, status: Status, validated: Timestamp? = nil, error: Problem? = nil,
        token: String? = nil
    ) {
        (self.type, self.url, self.status) = (type, url, status)
        (self.validated, self.error, self.token) = (validated, error, token)
    }
}
