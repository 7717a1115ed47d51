// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

/// The protected header of a signature (RFC 8555 section 6.2).
public struct ProtectedHeader: Hashable, Sendable {
    /// The key that signs, which the header names by exactly one of `jwk` and `kid`.
    public enum Signer: Hashable, Sendable {
        /// The public key itself (`jwk`), in a request for a new account, and in a revocation that is signed with the
        /// certificate's own key.
        case key(JSONWebKey)
        /// An identifier of the key (`kid`): the URL of an account, or the authority's identifier of an external
        /// account's key.
        case identifier(String)
    }

    /// The signature algorithm.
    public var algorithm: JWSAlgorithm
    /// The signer: an account, by its URL, or a key.
    public var signer: Signer
    /// The nonce of the request, in base64url; `nil` in a signature inside another one.
    public var nonce: String?
    /// The URL of the request.
    public var url: String

    /// Creates a header.
    public init(algorithm: JWSAlgorithm, signer: Signer, nonce: String? = nil, url: String) {
        (self.algorithm, self.signer, self.nonce, self.url) = (algorithm, signer, nonce, url)
    }
}

extension ProtectedHeader: Codable {
    private enum CodingKeys: String, CodingKey {
        case alg, jwk, kid, nonce, url, crit, b64
    }

    /// Reads a header.
    ///
    /// - Parameter decoder: A decoder whose value is a JSON object. Members with other names are ignored, but `crit`
    ///   and `b64` are refused.
    /// - Throws: ``JWSError/malformed(_:)``, ``JWSError/unsupportedAlgorithm(_:)``, ``JWSError/unusableKey``, and
    ///   `DecodingError` if a member is missing or of another type.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // No extension is supported, including b64 (RFC 7797), and a critical extension must be supported (RFC 7515
        // section 4.1.11).
        guard !values.contains(.crit), !values.contains(.b64) else { throw JWSError.malformed(.header) }
        let name = try values.decode(String.self, forKey: .alg)
        guard let algorithm = JWSAlgorithm(rawValue: name) else { throw JWSError.unsupportedAlgorithm(name) }
        let signer: Signer
        switch (values.contains(.jwk), values.contains(.kid)) {
        case (true, false): signer = .key(try values.decode(JSONWebKey.self, forKey: .jwk))
        case (false, true): signer = .identifier(try values.decode(String.self, forKey: .kid))
        default: throw JWSError.malformed(.signer)
        }
        let nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
        // RFC 8555 section 6.5.2: the nonce must be in base64url.
        if let nonce, Base64URL.decode(nonce) == nil { throw JWSError.malformed(.nonce) }
        self.init(algorithm: algorithm, signer: signer, nonce: nonce, url: try values.decode(String.self, forKey: .url))
    }

    /// Writes the header.
    ///
    /// - Parameter encoder: The encoder, to which an object is written.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(algorithm, forKey: .alg)
        switch signer {
        case .key(let key): try values.encode(key, forKey: .jwk)
        case .identifier(let name): try values.encode(name, forKey: .kid)
        }
        try values.encodeIfPresent(nonce, forKey: .nonce)
        try values.encode(url, forKey: .url)
    }
}

/// A signature algorithm of a JSON web signature (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// The algorithm `none` is deliberately absent, because it provides no signature.
@nonexhaustive
public enum JWSAlgorithm: String, Hashable, Sendable, Codable, CaseIterable {
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
    /// HMAC with SHA-256, only for binding external accounts (RFC 8555 section 7.3.4).
    case hs256 = "HS256"

    /// The algorithms that sign requests.
    public static let asymmetric: [Self] = [.rs256, .es256, .es384, .es512, .edDSA]
}

/// An account at the authority outside of ACME, to which a new ACME account is bound (RFC 8555 section 7.3.4).
public struct ExternalAccount: Hashable, Sendable {
    /// The authority's identifier of the key, sent as `kid`.
    public let identifier: String
    /// The key of the HMAC with SHA-256.
    ///
    /// Authorities issue it in base64url.
    public let key: Secret

    /// Creates an external account from its identifier and key.
    public init(identifier: String, key: Secret) { (self.identifier, self.key) = (identifier, key) }
}
