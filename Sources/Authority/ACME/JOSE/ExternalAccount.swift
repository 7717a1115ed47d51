// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// An account at the authority outside of ACME, which a new account is bound to (RFC 8555 section 7.3.4).
public struct ExternalAccount: Hashable, Sendable {
    /// The authority's identifier of the key, which a request names as `kid`.
    public let identifier: String
    /// The key of the HMAC with SHA-256: the bytes that authorities give in base64url.
    public let key: Secret

    /// An account by its parts.
    public init(identifier: String, key: Secret) { (self.identifier, self.key) = (identifier, key) }
}
