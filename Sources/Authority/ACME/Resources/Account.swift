// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
