// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whether an account may have certificates for an identifier (RFC 8555 section 7.1.4).
public struct Authorization: Codable, Hashable, Sendable {
    /// How far an authorization came (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has yet to answer one of the challenges.
        case pending
        /// A challenge was answered.
        case valid
        /// A challenge failed.
        case invalid
        /// The account gave it up.
        case deactivated
        /// Its time is over.
        case expired
        /// The authority withdrew it.
        case revoked
    }

    /// The identifier; that of a wildcard stands here without `*.`.
    public var identifier: Identifier
    /// How far it came.
    public var status: Status
    /// When its time is over.
    public var expires: Timestamp?
    /// The challenges, of which the client answers one.
    public var challenges: [Challenge]
    /// Whether the order names a wildcard.
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
