// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Digest authentication (RFC 7616).
public struct DigestAuthenticator: HTTPAuthenticator {
    /// Whether the server only wants a fresh nonce: the same credential may be sent again (RFC 7616 section 3.3).
    public var isStale: Bool { false }

    public init(_ challenge: HTTPChallenge) throws(HTTPAuthenticatorError) {}

    public mutating func authorization(
        with credential: Credential, method: String, target: String
    ) throws(HTTPAuthenticatorError) -> String {
        throw .unsuitableCredential(.digest)
    }
}
