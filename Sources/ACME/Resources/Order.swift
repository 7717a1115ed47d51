// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An order of a certificate, and its state (RFC 8555 section 7.1.3).
public struct Order: Codable, Hashable, Sendable {
    /// How far an order came (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// Authorizations are to be made valid.
        case pending
        /// The order can be finalized.
        case ready
        /// The certificate is being made.
        case processing
        /// The certificate is there.
        case valid
        /// The order failed or expired.
        case invalid
    }

    /// How far it came.
    public var status: Status
    /// When the authority forgets it.
    public var expires: Timestamp?
    /// The names of the certificate.
    public var identifiers: [Identifier]
    /// From when the certificate is to be valid.
    public var notBefore: Timestamp?
    /// Until when the certificate is to be valid.
    public var notAfter: Timestamp?
    /// The kind of certificate, of those that the directory names.
    public var profile: String?
    /// The certificate in whose place the new one comes (RFC 9773 section 5).
    public var replaces: String?
    /// The reason of a failure; `nil` where there is none.
    public var error: Problem?
    /// The URLs of the authorizations.
    public var authorizations: [String]
    /// The URL that takes the request for the certificate.
    public var finalize: String
    /// The URL of the certificate, once it is there.
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
