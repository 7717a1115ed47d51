// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Identities
import NIOCore
import TLSTransport
import Testing
import TrustRecipes
import X509

/// The types of keys that a server and a client may have.
enum KeyType: CaseIterable {
    case p256, p384, p521, ed25519, rsa

    var schemes: Set<String> {
        switch self {
        case .p256: ["ecdsa_secp256r1_sha256"]
        case .p384: ["ecdsa_secp384r1_sha384", "ecdsa_secp256r1_sha256"]
        case .p521: ["ecdsa_secp521r1_sha512", "ecdsa_secp256r1_sha256"]
        case .ed25519: ["ed25519"]
        case .rsa: ["rsa_pss_rsae_sha256"]
        }
    }

    func identity() throws -> Identity {
        let key: Certificate.PrivateKey =
            switch self {
            case .p256: .init(P256.Signing.PrivateKey())
            case .p384: .init(P384.Signing.PrivateKey())
            case .p521: .init(P521.Signing.PrivateKey())
            case .ed25519: .init(Curve25519.Signing.PrivateKey())
            case .rsa: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            }
        return try .selfSigned(key)
    }
}

@Suite struct TLSHandshakeTests {
    static let versions: [ClosedRange<TLSProtocolVersion>] = [.tls12 ... .tls12, .tls13 ... .tls13]

    @Test(
        "A handshake reports its properties, and both sides receive each other's bytes", arguments: versions,
        KeyType.allCases)
    func handshake(versions: ClosedRange<TLSProtocolVersion>, key: KeyType) throws {
        let identity = try key.identity()
        let context = try ServerContext(
            .init(
                identity: identity, versions: versions, applicationProtocol: "h2", staple: [1, 2, 3],
                timestamps: [0, 4, 0, 2, 7, 8]))
        let exchange = try Exchange(
            TLSClientSettings(serverName: "a.test", applicationProtocols: ["h2", "http/1.1"]), context)
        exchange.run()
        let facts = try #require(exchange.facts)
        #expect(facts.version == versions.lowerBound)
        #expect(facts.cipherSuite.hasPrefix(versions.lowerBound == .tls13 ? "TLS_AES_" : "TLS_ECDHE_"))
        #expect(facts.group?.description == (versions.lowerBound == .tls13 ? "X25519MLKEM768" : "x25519"))
        #expect(key.schemes.contains(try #require(facts.signatureScheme).description))
        #expect(facts.applicationProtocol == "h2")
        #expect(!facts.isResumed)
        #expect(exchange.server.serverName == "a.test")
        let credentials = try #require(exchange.credentials.first)
        #expect(exchange.credentials.count == 1)
        #expect(credentials.chain == (try identity.chain.map { try $0.bytes() }))
        #expect(credentials.staple == [1, 2, 3])
        #expect(credentials.timestamps == [0, 4, 0, 2, 7, 8])
        #expect(!credentials.isResumption)
        exchange.send(Array("question".utf8))
        #expect(exchange.server.received == Array("question".utf8))
        exchange.reply(Array("answer".utf8))
        #expect(exchange.received == Array("answer".utf8))
        let secret = exchange.client.exportSecret(label: "EXPORTER-Channel-Binding", length: 32)
        #expect(secret == exchange.server.exportSecret(label: "EXPORTER-Channel-Binding", length: 32))
    }

    @Test("A server without ALPN, staple and timestamps leaves them out")
    func nothingOptional() throws {
        let exchange = try Exchange(
            TLSClientSettings(serverName: nil, applicationProtocols: ["http/1.1"]), ServerContext())
        exchange.run()
        #expect(exchange.facts?.applicationProtocol == nil)
        #expect(exchange.server.serverName == nil)
        #expect(exchange.credentials.map(\.staple) == [nil])
        #expect(exchange.credentials.map(\.timestamps) == [nil])
    }

    @Test(
        "Unusable settings are an error",
        arguments: [
            TLSClientSettings(serverName: String(repeating: "a", count: 300)), TLSClientSettings(serverName: ""),
            TLSClientSettings(serverName: nil, applicationProtocols: [""]),
            TLSClientSettings(serverName: nil, applicationProtocols: [String(repeating: "a", count: 256)]),
        ])
    func unusableSettings(settings: TLSClientSettings) {
        #expect {
            try TLSEngine(settings)
        } throws: { error in
            if case TLSFailure.unusableSettings = error { true } else { false }
        }
    }

    @Test("A protocol that the client did not offer ends the handshake", arguments: versions)
    func foreignProtocol(versions: ClosedRange<TLSProtocolVersion>) throws {
        let context = try ServerContext(.init(versions: versions, applicationProtocol: "spdy"))
        let exchange = try Exchange(
            TLSClientSettings(serverName: nil, applicationProtocols: ["h2", "http/1.1"]), context)
        exchange.run()
        #expect(
            exchange.failure == .violation(reason: "INVALID_ALPN_PROTOCOL", sent: TLSAlert(rawValue: 47)))
        #expect(exchange.server.alerts == [TLSAlert(rawValue: 47)])
        #expect(exchange.facts == nil)
    }

    @Test(
        "A server's alert in the handshake is the failure",
        arguments: [
            (ServerContext.Settings(applicationProtocol: ""), TLSAlert.noApplicationProtocol),
            (ServerContext.Settings(versions: .tls12 ... .tls12), .protocolVersion),
        ])
    func serverAlert(settings: ServerContext.Settings, alert: TLSAlert) throws {
        let exchange = try Exchange(
            TLSClientSettings(serverName: nil, versions: .tls13 ... .tls13, applicationProtocols: ["h2"]),
            ServerContext(settings))
        exchange.run()
        #expect(exchange.failure == .received(alert))
        #expect(exchange.alerts == [alert])
    }

    @Test(
        "A refused server receives the alert of the refusal", arguments: versions,
        [
            TLSAlert.unknownCA, .certificateExpired, .certificateRevoked, .badCertificate,
            .badCertificateStatusResponse,
        ])
    func refusedServer(versions: ClosedRange<TLSProtocolVersion>, alert: TLSAlert) throws {
        for answersLate in [false, true] {
            let exchange = try Exchange(.init(serverName: nil), ServerContext(.init(versions: versions)))
            exchange.answersLate = answersLate
            exchange.verify = { _ in alert }
            exchange.run()
            #expect(exchange.failure == .refused(alert))
            #expect(exchange.server.alerts == [alert])
            #expect(!exchange.server.isComplete)
            #expect(exchange.alerts == [alert])
        }
    }

    @Test("Late answers continue the handshake, also byte by byte", arguments: versions)
    func lateAnswers(versions: ClosedRange<TLSProtocolVersion>) throws {
        let context = try ServerContext(.init(versions: versions, issuers: []))
        for size in [1, 7, Int.max] {
            let exchange = try Exchange(.init(serverName: nil), context)
            (exchange.answersLate, exchange.pieceSize) = (true, size)
            exchange.run()
            #expect(exchange.facts != nil)
            #expect(exchange.credentials.count == 1)
            #expect(exchange.requests.count == 1)
            exchange.send([1, 2, 3])
            exchange.reply([4, 5, 6])
            #expect(exchange.server.received == [1, 2, 3])
            #expect(exchange.received == [4, 5, 6])
        }
    }

    @Test("Answers without a question and after the end are ignored")
    func strayAnswers() throws {
        let exchange = try Exchange(.init(serverName: nil), ServerContext())
        exchange.client.approveServer()
        exchange.client.use(nil)
        exchange.verify = { _ in .unknownCA }
        exchange.run()
        exchange.client.approveServer()
        exchange.client.refuse(.certificateExpired)
        exchange.run()
        #expect(exchange.failure == .refused(.unknownCA))
        #expect(exchange.facts == nil)
    }
}

@Suite struct TLSIdentityTests {
    @Test(
        "A request names issuers and algorithms, and the server receives the identity",
        arguments: TLSHandshakeTests.versions, KeyType.allCases)
    func identity(versions: ClosedRange<TLSProtocolVersion>, key: KeyType) throws {
        let identity = try key.identity()
        let issuers = [Encoding.sequence(), Encoding.sequence(Encoding.element(0x31))]
        let exchange = try Exchange(
            .init(serverName: nil),
            ServerContext(.init(versions: versions, issuers: issuers, requiresClientCertificate: true)))
        exchange.selectIdentity = { _ in try? TLSIdentity(identity) }
        exchange.run()
        let request = try #require(exchange.requests.first)
        #expect(request.phase == .handshake)
        #expect(request.issuers == issuers)
        #expect(request.signatureSchemes.contains(.ecdsaP256SHA256))
        exchange.reply([1])
        #expect(exchange.received == [1])
        #expect(exchange.server.clientChain == (try identity.chain.map { try $0.bytes() }))
    }

    @Test("A server that does not require an identity accepts none", arguments: TLSHandshakeTests.versions)
    func noIdentity(versions: ClosedRange<TLSProtocolVersion>) throws {
        let exchange = try Exchange(.init(serverName: nil), ServerContext(.init(versions: versions, issuers: [])))
        exchange.run()
        exchange.reply([1])
        #expect(exchange.received == [1])
        #expect(exchange.server.clientChain == [])
    }

    @Test(
        "The alert of a server that requires an identity is the failure",
        arguments: [
            (TLSProtocolVersion.tls12, TLSAlert.handshakeFailure, false), (.tls13, .certificateRequired, true),
        ])
    func missingIdentity(version: TLSProtocolVersion, alert: TLSAlert, isComplete: Bool) throws {
        let exchange = try Exchange(
            .init(serverName: nil),
            ServerContext(.init(versions: version...version, issuers: [], requiresClientCertificate: true)))
        exchange.run()
        #expect(exchange.failure == .received(alert))
        #expect((exchange.facts != nil) == isComplete)
    }

    @Test("The alert of a server that refuses the identity is the failure", arguments: TLSHandshakeTests.versions)
    func refusedIdentity(versions: ClosedRange<TLSProtocolVersion>) throws {
        let exchange = try Exchange(
            .init(serverName: nil),
            ServerContext(.init(versions: versions, issuers: [], refusal: .certificateRevoked)))
        exchange.selectIdentity = { _ in try? TLSIdentity(ServerContext.identity) }
        exchange.run()
        #expect(exchange.failure == .received(.certificateRevoked))
    }

    @Test("A key that is elsewhere signs", arguments: TLSHandshakeTests.versions, [false, true])
    func signer(versions: ClosedRange<TLSProtocolVersion>, answersLate: Bool) throws {
        let key = P256.Signing.PrivateKey()
        let identity = try Identity.selfSigned(Certificate.PrivateKey(key))
        let exchange = try Exchange(
            .init(serverName: nil),
            ServerContext(.init(versions: versions, issuers: [], requiresClientCertificate: true)))
        exchange.answersLate = answersLate
        let signer = TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] }
        let chain = try identity.chain.map { try $0.bytes() }
        exchange.selectIdentity = { _ in TLSIdentity(chain: chain, signer: signer) }
        exchange.sign = { scheme, message in
            #expect(scheme == .ecdsaP256SHA256)
            return (try? key.signature(for: message)).map { Array($0.derRepresentation) } ?? []
        }
        exchange.run()
        exchange.reply([1])
        #expect(exchange.received == [1])
        #expect(exchange.server.clientChain == chain)
    }

    @Test("A failing signature and an unusable key end the handshake", arguments: TLSHandshakeTests.versions)
    func unusableKey(versions: ClosedRange<TLSProtocolVersion>) throws {
        let chain = try ServerContext.identity.chain.map { try $0.bytes() }
        let context = try ServerContext(.init(versions: versions, issuers: [], requiresClientCertificate: true))
        let cases: [(TLSIdentity, (TLSFailure) -> Bool)] = [
            // The server cannot verify an empty signature.
            (
                TLSIdentity(chain: chain, signer: TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] }),
                { if case .received = $0 { true } else { false } }
            ),
            (
                TLSIdentity(chain: [[1, 2, 3]], signer: TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] }),
                { if case .unusableIdentity = $0 { true } else { false } }
            ),
            (
                TLSIdentity(chain: chain, signer: TLSSigner(schemes: []) { _, _ in [] }),
                { if case .unusableIdentity = $0 { true } else { false } }
            ),
            // The key of the certificate cannot make such a signature.
            (
                TLSIdentity(chain: chain, signer: TLSSigner(schemes: [.rsaPKCS1SHA256]) { _, _ in [] }),
                { $0 == .violation(reason: "NO_COMMON_SIGNATURE_ALGORITHMS", sent: .handshakeFailure) }
            ),
        ]
        for (identity, isExpected) in cases {
            let exchange = try Exchange(.init(serverName: nil), context)
            exchange.selectIdentity = { _ in identity }
            exchange.run()
            #expect(isExpected(try #require(exchange.failure)), "\(String(describing: exchange.failure))")
        }
    }
}
