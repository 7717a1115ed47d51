// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The URLs of an authority's resources (RFC 8555 section 7.1.1).
public struct ACMEDirectory: Codable, Hashable, Sendable {
    /// The URL for new nonces.
    public var newNonce: String
    /// The URL for new accounts.
    public var newAccount: String
    /// The URL for new orders.
    public var newOrder: String
    /// The URL for new authorizations without an order; `nil` if the authority does not offer that.
    public var newAuthz: String?
    /// The URL for revoking certificates.
    public var revokeCert: String
    /// The URL for changing an account's key.
    public var keyChange: String
    /// The URL for renewal information (RFC 9773); `nil` if the authority does not offer that.
    public var renewalInfo: String?
    /// The metadata of the authority.
    public var meta: Meta?

    /// The metadata of an authority.
    public struct Meta: Codable, Hashable, Sendable {
        /// The URL of the terms of service.
        public var termsOfService: String?
        /// The URL of the authority's web site.
        public var website: String?
        /// The names of the authority in CAA records (RFC 8659).
        public var caaIdentities: [String]?
        /// Whether a new account must be bound to an external one (RFC 8555 section 7.3.4); `nil` means `false`.
        public var externalAccountRequired: Bool?
        /// The profiles that an order can select, with their descriptions.
        public var profiles: [String: String]?

        /// Creates metadata; the JSON has no member for a field that is `nil`.
        public init(
            termsOfService: String? = nil, website: String? = nil, caaIdentities: [String]? = nil,
            externalAccountRequired: Bool? = nil, profiles: [String: String]? = nil
        ) {
            (self.termsOfService, self.website, self.caaIdentities) = (termsOfService, website, caaIdentities)
            (self.externalAccountRequired, self.profiles) = (externalAccountRequired, profiles)
        }
    }

    /// Creates a directory from its URLs.
    public init(
        newNonce: String, newAccount: String, newOrder: String, revokeCert: String, keyChange: String,
        renewalInfo: String? = nil, meta: Meta? = nil
    ) {
        (self.newNonce, self.newAccount, self.newOrder) = (newNonce, newAccount, newOrder)
        (self.revokeCert, self.keyChange, self.renewalInfo, self.meta) = (revokeCert, keyChange, renewalInfo, meta)
    }
}

/// An account that orders certificates (RFC 8555 section 7.1.2).
public struct ACMEAccountObject: Codable, Hashable, Sendable {
    /// The state of an account.
    public enum Status: String, Codable, Hashable, Sendable {
        /// The account may order certificates.
        case valid
        /// The owner of the account deactivated it.
        case deactivated
        /// The authority revoked it.
        case revoked
    }

    /// The state of the account.
    public var status: Status
    /// The contact URLs of the account's owner, such as `mailto:mary@example.org`; `nil` if there are none.
    public var contact: [String]?
    /// Whether the owner of the account agreed to the terms of service; `nil` if the authority does not say.
    public var termsOfServiceAgreed: Bool?
    /// The URL of the list of the account's orders; `nil` if the authority has none, as many do.
    public var orders: String?

    /// Creates an account from its members.
    public init(
        status: Status, contact: [String]? = nil, termsOfServiceAgreed: Bool? = nil, orders: String? = nil
    ) {
        (self.status, self.contact) = (status, contact)
        (self.termsOfServiceAgreed, self.orders) = (termsOfServiceAgreed, orders)
    }
}
