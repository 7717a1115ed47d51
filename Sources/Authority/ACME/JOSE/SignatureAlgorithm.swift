// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a JSON web signature is made (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// There is no `none`, which is no signature.
public enum SignatureAlgorithm: String, Hashable, Sendable, Codable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// HMAC with SHA-256, for the binding of external accounts alone (RFC 8555 section 7.3.4).
    case hs256 = "HS256"

    /// The algorithms that sign requests.
    public static let asymmetric: [Self] = [.rs256, .es256, .es384, .es512, .edDSA]
}
