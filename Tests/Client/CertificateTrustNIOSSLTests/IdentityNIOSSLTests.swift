// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import ChallengeLab
import Countersign
import Crypto
import CryptoExtras
import Foundation
import Identities
import NIOSSL
import SwiftASN1
import Testing
import TrustRecipes
import X509

@Suite("Identities for NIOSSL") struct IdentityNIOSSLTests {
    /// The types of keys that BoringSSL accepts by default.
    enum KeyType: CaseIterable {
        case p256, p384, rsa

        func makeKey() throws -> Certificate.PrivateKey {
            switch self {
            case .p256: .init(P256.Signing.PrivateKey())
            case .p384: .init(P384.Signing.PrivateKey())
            case .rsa: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            }
        }
    }

    @Test(
        "A server and a client authenticate with a key in memory, and with one that cannot be exported",
        arguments: KeyType.allCases, [false, true])
    func handshake(type: KeyType, isHeld: Bool) async throws {
        let root = try TestAuthority.valid("root")
        let key = try type.makeKey()
        let certificate = try root.certificate(for: key.publicKey)
        let identity = try Identity(
            chain: [certificate], privateKey: isHeld ? Certificate.PrivateKey(HeldKey(key: key)) : key)
        let outcomes = Outcomes()
        var peers = TLSPeers(
            server: identity, client: identity,
            clientVerifier: try root.policy.verifyingClients(named: ["a.test"], report: outcomes.note))
        if isHeld, type == .rsa { peers.maximumVersion = .tlsv12 }
        #expect(try await peers.connect(with: root.policy.verifying("a.test")) == "2")
        #expect(try outcomes.all.first?.get().isTrusted == true)
    }

    @Test("A session presents an identity whose key cannot be exported") func session() async throws {
        let root = try TestAuthority.valid("root")
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let identity = try Identity(
            chain: [root.certificate(for: key.publicKey)], privateKey: .init(HeldKey(key: key)))
        let server = try await ScriptedServer.start(
            presenting: root.identity(Recipe().with { $0.names = [.dnsName("localhost")] }),
            naming: [root.certificate]
        ) { _ in .init(.ok, body: "hello") }
        let session = HTTPSession(
            trust: root.policy, handlers: [.clientCertificate: .identity(identity, host: "localhost")])
        let response = try await session.get("https://localhost:\(server.port)/")
        #expect(try await response.text() == "hello")
        #expect(response.connection.tls?.clientCertificate == identity.certificate)
        await session.close()
        await server.stop()
    }

    @Test("An identity for NIOSSL contains the whole chain, in its order") func chain() throws {
        let root = try TestAuthority.valid("root")
        let middle = try root.issue(Recipe.authority("middle").validNow)
        let leaf = try middle.issue(Recipe().validNow)
        let identity = try Identity(
            chain: [leaf.certificate, middle.certificate, root.certificate], privateKey: .init(leaf.key))
        let bytes = try identity.nioSSL().certificateChain.map { source in
            guard case .certificate(let certificate) = source else { return [UInt8]() }
            return try certificate.toDERBytes()
        }
        #expect(try bytes == identity.chain.map { try $0.bytes() })
    }
}

extension TestAuthority {
    /// Issues a certificate for a.test and any key, for servers and clients.
    fileprivate func certificate(for key: Certificate.PublicKey) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(bytes: [7]), publicKey: key, notValidBefore: Date() - 86400,
            notValidAfter: Date() + 86400, issuer: certificate.subject,
            subject: try DistinguishedName { CommonName("held") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth, .clientAuth])
                SubjectAlternativeNames([.dnsName("a.test")])
            }, issuerPrivateKey: .init(self.key))
    }
}

/// A key that signs and cannot be exported, like one in a token.
private struct HeldKey: CustomPrivateKey {
    struct NotExportable: Error {}

    let key: Certificate.PrivateKey

    static var defaultPEMDiscriminator: String { "PRIVATE KEY" }
    var publicKey: Certificate.PublicKey { key.publicKey }
    var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
    var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [] }

    func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        try key.sign(bytes: bytes, signatureAlgorithm: signatureAlgorithm)
    }

    func serialize(into coder: inout DER.Serializer) throws { throw NotExportable() }
}
