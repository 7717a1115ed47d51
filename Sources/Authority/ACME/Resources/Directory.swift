// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The URLs of an authority's resources (RFC 8555 section 7.1.1).
public struct Directory: Codable, Hashable, Sendable {
    /// The URL that gives nonces.
    public var newNonce: String
    /// The URL that makes accounts.
    public var newAccount: String
    /// The URL that takes orders.
    public var newOrder: String
    /// The URL that makes authorizations before an order; `nil` where there is none.
    public var newAuthz: String?
    /// The URL that revokes certificates.
    public var revokeCert: String
    /// The URL that changes an account's key.
    public var keyChange: String
    /// The URL that tells when to renew (RFC 9773); `nil` if the authority does not offer that.
    public var renewalInfo: String?
    /// Further facts about the authority.
    public var meta: Meta?

    /// Facts about an authority.
    public struct Meta: Codable, Hashable, Sendable {
        /// The URL of the terms of service, which an account agrees to.
        public var termsOfService: String?
        /// The URL of the authority's web site.
        public var website: String?
        /// The names by which CAA records allow the authority (RFC 8659).
        public var caaIdentities: [String]?
        /// Whether a new account must be bound to an external one (RFC 8555 section 7.3.4); `nil` means that it need not.
        public var externalAccountRequired: Bool?
        /// The profiles that an order may choose, each with its description.
        public var profiles: [String: String]?

        /// Metadata by its fields; the JSON leaves out those that are `nil`.
        public init(
            termsOfService: String? = nil, website: String? = nil, caaIdentities: [String]? = nil,
            externalAccountRequired: Bool? = nil, profiles: [String: String]? = nil
        ) {
            (self.termsOfService, self.website, self.caaIdentities) = (termsOfService, website, caaIdentities)
            (self.externalAccountRequired, self.profiles) = (externalAccountRequired, profiles)
        }
    }

    /// A directory by its URLs.
    public init(
        newNonce: String, newAccount: String, newOrder: String, revokeCert: String, keyChange: String,
        renewalInfo: String? = nil, meta: Meta? = nil
    ) {
        (self.newNonce, self.newAccount, self.newOrder) = (newNonce, newAccount, newOrder)
        (self.revokeCert, self.keyChange, self.renewalInfo, self.meta) = (revokeCert, keyChange, renewalInfo, meta)
    }
}

/// An account, which orders certificates (RFC 8555 section 7.1.2).
public struct Account: Codable, Hashable, Sendable {
    /// Whether the account may be used.
    public enum Status: String, Codable, Hashable, Sendable {
        /// The account may order certificates.
        case valid
        /// The owner of the account deactivated it.
        case deactivated
        /// The authority revoked it.
        case revoked
    }

    /// Whether the account may be used.
    public var status: Status
    /// URLs at which the owner of the account is reached, such as `mailto:mary@example.org`; `nil` if there are none.
    public var contact: [String]?
    /// Whether the owner of the account agreed to the terms of service; `nil` if the authority does not say.
    public var termsOfServiceAgreed: Bool?
    /// The URL of the list of the account's orders; `nil` at the many authorities that have none.
    public var orders: String?

    /// An account by its parts.
    public init(
        status: Status, contact: [String]? = nil, termsOfServiceAgreed: Bool? = nil, orders: String? = nil
    ) {
        (self.status, self.contact) = (status, contact)
        (self.termsOfServiceAgreed, self.orders) = (termsOfServiceAgreed, orders)
    }
}
