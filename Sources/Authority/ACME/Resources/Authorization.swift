// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
