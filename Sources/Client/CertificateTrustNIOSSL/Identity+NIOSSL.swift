// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
public import Identities
import NIOCore
public import NIOSSL
import SwiftASN1
import X509

extension Identity {
    /// Returns the certificate chain and the key for a `TLSConfiguration`.
    ///
    /// A key that cannot be exported, such as one in a token, signs where it is. It can sign with ECDSA, Ed25519 and
    /// PKCS #1; with an RSA key the connection therefore needs TLS 1.2, because TLS 1.3 requires PSS (RFC 8446 section
    /// 4.2.3).
    ///
    /// - Returns: The chain, leaf first, and the key of the leaf.
    /// - Throws: An error of NIOSSL if it rejects a certificate or the key.
    public func nioSSL() throws -> (certificateChain: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource) {
        // The process would terminate if a chain were passed as `.file`, so it is always passed as certificates.
        let certificates = try chain.map { certificate in
            NIOSSLCertificateSource.certificate(
                try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der))
        }
        guard let key = try? privateKey.serializeAsPEM() else {
            return (certificates, .privateKey(NIOSSLPrivateKey(customPrivateKey: SigningKey(key: privateKey))))
        }
        return (certificates, .privateKey(try NIOSSLPrivateKey(bytes: key.derBytes, format: .der)))
    }
}

/// A key that signs the handshakes of NIOSSL without being exported.
private struct SigningKey: NIOSSLCustomPrivateKey, Hashable {
    let key: Certificate.PrivateKey

    /// The algorithms of TLS for the type of the key (RFC 8446 section 4.2.3), with the algorithms of certificates that
    /// make the same signatures.
    private var algorithms: [(SignatureAlgorithm, Certificate.SignatureAlgorithm)] {
        let key = key.publicKey
        return if P256.Signing.PublicKey(key) != nil {
            [(.ecdsaSecp256R1Sha256, .ecdsaWithSHA256)]
        } else if P384.Signing.PublicKey(key) != nil {
            [(.ecdsaSecp384R1Sha384, .ecdsaWithSHA384)]
        } else if P521.Signing.PublicKey(key) != nil {
            [(.ecdsaSecp521R1Sha512, .ecdsaWithSHA512)]
        } else if Curve25519.Signing.PublicKey(key) != nil {
            [(.ed25519, .ed25519)]
        } else if _RSA.Signing.PublicKey(key) != nil {
            [
                (.rsaPkcs1Sha256, .sha256WithRSAEncryption), (.rsaPkcs1Sha384, .sha384WithRSAEncryption),
                (.rsaPkcs1Sha512, .sha512WithRSAEncryption),
            ]
        } else {
            []
        }
    }

    var signatureAlgorithms: [SignatureAlgorithm] { algorithms.map(\.0) }

    func sign(
        channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFutureWithTask {
            guard let algorithm = algorithms.first(where: { $0.0 == algorithm })?.1 else {
                throw NIOSSLError.handshakeFailed(.sslError([]))
            }
            let signature = try await key.signAsynchronously(
                bytes: Array(data.readableBytesView), signatureAlgorithm: algorithm)
            return ByteBuffer(bytes: signature.rawRepresentation)
        }
    }

    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        // Only the key exchange with RSA decrypts, which needs a raw operation that certificates' keys do not have.
        channel.eventLoop.makeFailedFuture(NIOSSLError.handshakeFailed(.sslError([])))
    }
}
