// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// An order for a certificate (RFC 8555 section 7.1.3).
public struct ACMEOrder: Codable, Hashable, Sendable {
    /// The state of an order (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// Some authorizations are not valid yet.
        case pending
        /// All authorizations are valid, and the order can be finalized.
        case ready
        /// The authority is issuing the certificate.
        case processing
        /// The authority has issued the certificate.
        case valid
        /// The order failed or expired.
        case invalid
    }

    /// The state of the order.
    public var status: Status
    /// The expiry time of the order; `nil` if the authority does not give one.
    public var expiry: Date? {
        get { expires?.date }
        set { expires = newValue.map { ACMETimestamp($0) } }
    }
    /// The names of the certificate.
    public var identifiers: [ACMEIdentifier]
    /// The requested start of the certificate's validity; if `nil`, the authority chooses it.
    public var notBefore: Date? {
        get { start?.date }
        set { start = newValue.map { ACMETimestamp($0) } }
    }
    /// The requested end of the certificate's validity; if `nil`, the authority chooses it.
    public var notAfter: Date? {
        get { end?.date }
        set { end = newValue.map { ACMETimestamp($0) } }
    }
    /// The profile of the certificate, a key of ``ACMEDirectory/Meta/profiles``; `nil` for the authority's default.
    public var profile: String?
    /// The ``CertificateIdentifier`` of the certificate that the new one replaces; `nil` for none (RFC 9773 section 5).
    public var replaces: String?
    /// The reason for the failure; `nil` if the order has not failed.
    public var error: ACMEProblem?
    /// The URLs of the authorizations.
    public var authorizations: [String]
    /// The URL for the certificate request.
    public var finalize: String
    /// The URL of the certificate; `nil` before it is issued.
    public var certificate: String?
    private var expires, start, end: ACMETimestamp?

    private enum CodingKeys: String, CodingKey {
        case status, expires, identifiers, profile, replaces, error, authorizations, finalize, certificate
        case start = "notBefore"
        case end = "notAfter"
    }

    /// Creates an order from its members.
    public init(
        status: Status, expiry: Date? = nil, identifiers: [ACMEIdentifier], profile: String? = nil,
        replaces: String? = nil, error: ACMEProblem? = nil, authorizations: [String], finalize: String,
        certificate: String? = nil
    ) {
        (self.status, self.identifiers, self.profile) = (status, identifiers, profile)
        (self.replaces, self.error, self.authorizations) = (replaces, error, authorizations)
        (self.finalize, self.certificate) = (finalize, certificate)
        self.expiry = expiry
    }
}

/// An authorization: an authority's permission for an account to get certificates for an identifier (RFC 8555
/// section 7.1.4).
public struct ACMEAuthorization: Codable, Hashable, Sendable {
    /// The state of an authorization (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has yet to answer one of the challenges.
        case pending
        /// The authority has verified the answer to a challenge.
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

    /// The identifier, without `*.` for a wildcard.
    public var identifier: ACMEIdentifier
    /// The state of the authorization.
    public var status: Status
    /// The expiry time of the authorization; `nil` if the authority does not give one.
    public var expiry: Date? {
        get { expires?.date }
        set { expires = newValue.map { ACMETimestamp($0) } }
    }
    /// The challenges, one of which the client must answer.
    public var challenges: [ACMEChallenge]
    /// Whether the order names a wildcard; `nil` means `false`.
    public var wildcard: Bool?
    private var expires: ACMETimestamp?

    /// Creates an authorization from its members.
    public init(
        identifier: ACMEIdentifier, status: Status, expiry: Date? = nil, challenges: [ACMEChallenge],
        wildcard: Bool? = nil
    ) {
        (self.identifier, self.status) = (identifier, status)
        (self.challenges, self.wildcard) = (challenges, wildcard)
        self.expiry = expiry
    }
}

/// A challenge, by which an account proves that it controls an identifier (RFC 8555 section 8).
public struct ACMEChallenge: Codable, Hashable, Sendable {
    /// The kind of a challenge; an authority may offer further kinds.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the kind, such as `http-01`.
        public let rawValue: String

        /// Creates a kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file on a web server at port 80 (RFC 8555 section 8.3).
        public static let http01 = Self(rawValue: "http-01")
        /// A TXT record in the DNS (RFC 8555 section 8.4).
        public static let dns01 = Self(rawValue: "dns-01")
        /// A TLS certificate at port 443 (RFC 8737).
        public static let tlsALPN01 = Self(rawValue: "tls-alpn-01")
    }

    /// The state of a challenge (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has not answered.
        case pending
        /// The authority is validating the answer.
        case processing
        /// The authority has found the proof.
        case valid
        /// The authority did not find the proof.
        case invalid
    }

    /// The kind of the challenge.
    public var type: Kind
    /// The URL to which the client reports that it has answered.
    public var url: String
    /// The state of the challenge.
    public var status: Status
    /// The time at which the authority found the proof; `nil` if it has not found one.
    public var validated: Date? {
        get { validation?.date }
        set { validation = newValue.map { ACMETimestamp($0) } }
    }
    /// The reason why the authority did not find the proof; `nil` if the challenge has not failed.
    public var error: ACMEProblem?
    /// The token for the key authorization; `nil` only for a kind of challenge that is not a constant of ``Kind``.
    public var token: String?
    private var validation: ACMETimestamp?

    private enum CodingKeys: String, CodingKey {
        case type, url, status, error, token
        case validation = "validated"
    }

    /// Creates a challenge from its members.
    public init(
        type: Kind, url: String, status: Status, validated: Date? = nil, error: ACMEProblem? = nil,
        token: String? = nil
    ) {
        (self.type, self.url, self.status) = (type, url, status)
        (self.error, self.token) = (error, token)
        self.validated = validated
    }
}
