// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
package import Identities
package import Secrets
import SwiftASN1
import X509

/// A client's certificates with the means to sign.
package struct TLSIdentity: Sendable {
    /// A key in memory, or the means to use a key that is elsewhere.
    enum Key: Sendable {
        /// The key in DER, as PKCS #8, PKCS #1 or SEC 1.
        case encoded(Secret)
        case signer(TLSSigner)
    }

    /// The certificates in DER, leaf first.
    let chain: [[UInt8]]
    let key: Key

    /// Creates an identity whose key is elsewhere, such as in a token or in an agent.
    package init(chain: [[UInt8]], signer: TLSSigner) {
        (self.chain, key) = (chain, .signer(signer))
    }

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, leaf first.
    ///   - key: The key in DER, as PKCS #8, PKCS #1 or SEC 1, of a type that the library of the connection knows.
    package init(chain: [[UInt8]], key: Secret) {
        (self.chain, self.key) = (chain, .encoded(key))
    }

    /// Creates an identity.
    ///
    /// A key that cannot be exported signs where it is. It can sign with ECDSA, Ed25519 and PKCS #1; with an RSA key the
    /// connection therefore needs TLS 1.2, because TLS 1.3 requires PSS (RFC 8446 section 4.2.3).
    ///
    /// - Parameter identity: The certificates and the key.
    /// - Throws: An error of the encoder.
    package init(_ identity: Identity) throws {
        chain = try identity.chain.map { try $0.serializeAsPEM().derBytes }
        if let document = try? identity.privateKey.serializeAsPEM() {
            key = .encoded(Secret(utf8: document.derBytes))
        } else {
            key = .signer(TLSSigner(identity.privateKey))
        }
    }
}

extension TLSIdentity {
    /// Creates an identity of either type.
    ///
    /// - Parameter identity: The identity.
    /// - Throws: An error of the encoder.
    package init(_ identity: PresentedIdentity) throws {
        switch identity {
        case .identity(let identity): try self.init(identity)
        case .encoded(let identity): self.init(chain: identity.chain, key: identity.privateKey)
        }
    }
}

/// The means to sign with a key that is not in memory.
package struct TLSSigner: Sendable {
    /// The algorithms with which the key can sign, in the order of preference.
    package let schemes: [TLSSignatureScheme]
    /// Returns the signature of a message, which the closure hashes.
    package let sign: @Sendable (TLSSignatureScheme, [UInt8]) async throws -> [UInt8]

    package init(
        schemes: [TLSSignatureScheme], sign: @escaping @Sendable (TLSSignatureScheme, [UInt8]) async throws -> [UInt8]
    ) {
        (self.schemes, self.sign) = (schemes, sign)
    }

    fileprivate init(_ key: Certificate.PrivateKey) {
        let algorithms = key.algorithms
        self.init(schemes: algorithms.map(\.0)) { scheme, message in
            guard let algorithm = algorithms.first(where: { $0.0 == scheme })?.1 else {
                throw TLSFailure.unusableIdentity(reason: scheme.description)
            }
            return Array(
                try await key.signAsynchronously(bytes: message, signatureAlgorithm: algorithm).rawRepresentation)
        }
    }
}

extension Certificate.PrivateKey {
    /// The algorithms of TLS for the type of the key, with the algorithms of certificates that make the same signatures.
    fileprivate var algorithms: [(TLSSignatureScheme, Certificate.SignatureAlgorithm)] {
        let key = publicKey
        return if P256.Signing.PublicKey(key) != nil {
            [(.ecdsaP256SHA256, .ecdsaWithSHA256)]
        } else if P384.Signing.PublicKey(key) != nil {
            [(.ecdsaP384SHA384, .ecdsaWithSHA384)]
        } else if P521.Signing.PublicKey(key) != nil {
            [(.ecdsaP521SHA512, .ecdsaWithSHA512)]
        } else if Curve25519.Signing.PublicKey(key) != nil {
            [(.ed25519, .ed25519)]
        } else if _RSA.Signing.PublicKey(key) != nil {
            [
                (.rsaPKCS1SHA256, .sha256WithRSAEncryption), (.rsaPKCS1SHA384, .sha384WithRSAEncryption),
                (.rsaPKCS1SHA512, .sha512WithRSAEncryption),
            ]
        } else {
            []
        }
    }
}
