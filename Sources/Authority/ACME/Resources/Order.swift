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
