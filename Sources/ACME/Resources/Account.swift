// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An account, which orders certificates (RFC 8555 section 7.1.2).
public struct Account: Codable, Hashable, Sendable {
    /// Whether the account may be used.
    public enum Status: String, Codable, Hashable, Sendable {
        /// The account may order certificates.
        case valid
        /// Its owner gave it up.
        case deactivated
        /// The authority withdrew it.
        case revoked
    }

    /// Whether the account may be used.
    public var status: Status
    /// URLs at which its owner is reached, such as `mailto:mary@example.org`.
    public var contact: [String]?
    /// Whether its owner agreed to the terms of service.
    public var termsOfServiceAgreed: Bool?
    /// The URL of its orders; many authorities have none.
    public var orders: String?

    /// An account by its parts.
    public init(
        status: Status, contact: [String]? = nil, termsOfServiceAgreed: Bool? = nil, orders: String? = nil
    ) {
        (self.status, self.contact) = (status, contact)
        (self.termsOfServiceAgreed, self.orders) = (termsOfServiceAgreed, orders)
    }
}
