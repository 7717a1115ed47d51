// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
internal import EssentialFoundation
public import Secrets

/// A signed request body: a JSON web signature in the flattened form (RFC 7515 section 7.2.2), as restricted by RFC
/// 8555 section 6.2.
public struct JSONWebSignature: Hashable, Sendable {
    /// The maximum size of a request body in bytes, ten times that of a request for a certificate with a hundred names.
    public static let maximumSize = 131_072

    /// The protected header.
    public let header: ProtectedHeader
    /// The payload; empty in a request that only reads a resource (RFC 8555 section 6.3).
    public let payload: [UInt8]
    private let signedBytes: [UInt8]
    private let signature: [UInt8]

    private struct Flattened: Codable {
        let protected: String
        let payload: String
        let signature: String
    }

    /// The members that a body must not have: the unprotected header, and several signatures.
    private enum ForbiddenMember: String, CodingKey {
        case header
        case signatures
    }

    /// Whether an object has a forbidden member, with any value.
    private struct Forbidden: Decodable {
        let isPresent: Bool

        init(from decoder: any Decoder) throws {
            isPresent = try !decoder.container(keyedBy: ForbiddenMember.self).allKeys.isEmpty
        }
    }

    /// Reads a request body, without verifying the signature.
    ///
    /// - Parameter body: The body of the request, in JSON.
    /// - Throws: ``JWSError/tooLarge`` if the body has more than ``maximumSize`` bytes, ``JWSError/malformed(_:)``,
    ///   ``JWSError/unsupportedAlgorithm(_:)`` for an unknown algorithm, and ``JWSError/unusableKey`` for an unusable
    ///   key in the header.
    public init(_ body: some Collection<UInt8>) throws(JWSError) {
        guard body.count <= Self.maximumSize else { throw .tooLarge }
        guard let parts = try? JSONDecoder().decode(Flattened.self, from: Data(body)),
            let forbidden = try? JSONDecoder().decode(Forbidden.self, from: Data(body)), !forbidden.isPresent,
            Self.hasUniqueNames(Array(body))
        else { throw .malformed(.body) }
        try self.init(protected: parts.protected, payload: parts.payload, signature: parts.signature)
    }

    private init(protected: String, payload: String, signature: String) throws(JWSError) {
        guard let header = Base64URL.decode(protected), Self.hasUniqueNames(header) else {
            throw .malformed(.header)
        }
        do {
            self.header = try JSONDecoder().decode(ProtectedHeader.self, from: Data(header))
        } catch let error as JWSError {
            throw error
        } catch {
            throw .malformed(.header)
        }
        guard let bytes = Base64URL.decode(payload) else { throw .malformed(.payload) }
        guard let signature = Base64URL.decode(signature) else { throw .malformed(.signature) }
        (self.payload, self.signature) = (bytes, signature)
        signedBytes = Array("\(protected).\(payload)".utf8)
    }

    /// Returns whether the member names of each JSON object are unique (RFC 7515 section 4, RFC 7517 section 4).
    ///
    /// `JSONDecoder` uses the first of two members with the same name, and other parsers the last one, so two parsers
    /// would verify different requests.
    private static func hasUniqueNames(_ json: [UInt8]) -> Bool { (try? JSONValue(parsing: json)) != nil }

    /// Verifies the signature with a key.
    ///
    /// - Parameter key: The key of the account, or the key in the header.
    /// - Throws: ``JWSError/unsupportedAlgorithm(_:)`` if the algorithm in the header is not the key's, and
    ///   ``JWSError/wrongSignature``.
    public func verify(with key: JSONWebKey) throws(JWSError) {
        guard header.algorithm == key.algorithm else { throw .unsupportedAlgorithm(header.algorithm.rawValue) }
        guard key.isValidSignature(signature, for: signedBytes) else { throw .wrongSignature }
    }

    /// Verifies the binding of an external account, which is signed with HS256 (RFC 8555 section 7.3.4).
    ///
    /// - Parameter secret: The external account's key.
    /// - Throws: ``JWSError/unsupportedAlgorithm(_:)`` if the algorithm in the header is not HS256, and
    ///   ``JWSError/wrongSignature``.
    public func verify(with secret: Secret) throws(JWSError) {
        guard header.algorithm == .hs256 else { throw .unsupportedAlgorithm(header.algorithm.rawValue) }
        let isValid = secret.withUnsafeBytes { key in
            HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: signedBytes, using: SymmetricKey(data: key))
        }
        guard isValid else { throw .wrongSignature }
    }
}

extension JSONWebSignature {
    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: The payload; empty to read a resource.
    ///   - signer: The account's URL; `nil`, the default, puts the public key itself into the header.
    ///   - nonce: The nonce of the request; `nil`, the default, for a signature inside another one.
    ///   - url: The URL of the request.
    ///   - key: The key that signs.
    /// - Returns: The body of the request, in JSON.
    /// - Throws: The error of a key that cannot sign, and `EncodingError`.
    public static func sign(
        _ payload: some Collection<UInt8>, as signer: String? = nil, nonce: String? = nil, url: String,
        with key: AccountKey
    ) throws -> [UInt8] {
        let header = ProtectedHeader(
            algorithm: key.publicKey.algorithm, signer: signer.map { .identifier($0) } ?? .key(key.publicKey),
            nonce: nonce, url: url)
        return try encode(payload, header) { try key.sign($0) }
    }

    /// Binds the key of an account to an external account (RFC 8555 section 7.3.4).
    ///
    /// - Parameters:
    ///   - key: The key of the account that is created.
    ///   - external: The external account that the authority issued.
    ///   - url: The URL of the directory's resource `newAccount`.
    /// - Returns: A signature in the flattened form, in JSON.
    /// - Throws: `EncodingError`.
    public static func bind(_ key: JSONWebKey, to external: ExternalAccount, url: String) throws -> [UInt8] {
        let header = ProtectedHeader(algorithm: .hs256, signer: .identifier(external.identifier), url: url)
        return try encode(Array(key.json.utf8), header) { bytes in
            external.key.withUnsafeBytes { key in
                Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
            }
        }
    }

    private static func encode(
        _ payload: some Collection<UInt8>, _ header: ProtectedHeader, signature: ([UInt8]) throws -> [UInt8]
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let protected = Base64URL.encode(try encoder.encode(header))
        let payload = Base64URL.encode(payload)
        let signature = try signature(Array("\(protected).\(payload)".utf8))
        return Array(
            try encoder.encode(
                Flattened(protected: protected, payload: payload, signature: Base64URL.encode(signature))))
    }
}
