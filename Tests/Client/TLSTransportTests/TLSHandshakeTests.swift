// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Identities
import NIOCore
import TLSServer
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
    @Test(
        "A handshake reports its properties, and both sides receive each other's bytes", arguments: Variant.all,
        KeyType.allCases)
    func handshake(variant: Variant, key: KeyType) throws {
        let identity = try key.identity()
        let context = try TLSServerContext(
            .init(
                versions: variant.versions, applicationProtocol: "h2", staple: [1, 2, 3],
                timestamps: [0, 4, 0, 2, 7, 8]),
            identity: identity)
        let exchange = try Exchange(
            variant.settings(serverName: "a.test", applicationProtocols: ["h2", "http/1.1"]), context)
        exchange.run()
        let facts = try #require(exchange.facts)
        #expect(facts.version == variant.version)
        #expect(facts.cipherSuite.hasPrefix(variant.version == .tls13 ? "TLS_AES_" : "TLS_ECDHE_"))
        let isHybrid = variant.library == .boringSSL && variant.version == .tls13
        #expect(facts.group?.description == (isHybrid ? "X25519MLKEM768" : "x25519"))
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

    @Test("A server without ALPN, staple and timestamps leaves them out", arguments: TLSLibrary.available)
    func nothingOptional(library: TLSLibrary) throws {
        let exchange = try Exchange(
            TLSClientSettings(serverName: nil, applicationProtocols: ["http/1.1"], library: library), TLSServerContext()
        )
        exchange.run()
        #expect(exchange.facts?.applicationProtocol == nil)
        #expect(exchange.server.serverName == nil)
        #expect(exchange.credentials.map(\.staple) == [nil])
        #expect(exchange.credentials.map(\.timestamps) == [nil])
    }

    @Test(
        "Unusable settings are an error", arguments: TLSLibrary.available,
        [
            TLSClientSettings(serverName: String(repeating: "a", count: 300)), TLSClientSettings(serverName: ""),
            TLSClientSettings(serverName: nil, applicationProtocols: [""]),
            TLSClientSettings(serverName: nil, applicationProtocols: [String(repeating: "a", count: 256)]),
        ])
    func unusableSettings(library: TLSLibrary, settings: TLSClientSettings) {
        var settings = settings
        settings.library = library
        let error = #expect(throws: TLSFailure.self) { try TLSEngine(settings) }
        if case .unusableSettings = error { return }
        Issue.record("\(String(describing: error))")
    }

    @Test("A protocol that the client did not offer ends the handshake", arguments: Variant.all)
    func foreignProtocol(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions, applicationProtocol: "spdy"))
        let exchange = try Exchange(
            variant.settings(applicationProtocols: ["h2", "http/1.1"]), context)
        exchange.run()
        switch variant.library {
        case .boringSSL:
            #expect(
                exchange.failure == .violation(reason: "INVALID_ALPN_PROTOCOL", sent: TLSAlert(rawValue: 47)))
            #expect(exchange.server.alerts == [TLSAlert(rawValue: 47)])
        case .openSSL:
            #expect(exchange.failure == .violation(reason: "BAD_EXTENSION", sent: TLSAlert(rawValue: 50)))
        }
        #expect(exchange.facts == nil)
    }

    @Test(
        "A server's alert in the handshake is the failure", arguments: TLSLibrary.available,
        [
            (TLSServerContext.Settings(applicationProtocol: ""), TLSAlert.noApplicationProtocol),
            (TLSServerContext.Settings(versions: .tls12 ... .tls12), .protocolVersion),
        ])
    func serverAlert(library: TLSLibrary, expected: (settings: TLSServerContext.Settings, alert: TLSAlert)) throws {
        let exchange = try Exchange(
            TLSClientSettings(
                serverName: nil, versions: .tls13 ... .tls13, applicationProtocols: ["h2"], library: library),
            TLSServerContext(expected.settings))
        exchange.run()
        #expect(exchange.failure == .received(expected.alert))
    }

    @Test(
        "A refused server receives the alert of the refusal", arguments: Variant.all,
        [
            TLSAlert.unknownCA, .certificateExpired, .certificateRevoked, .badCertificate,
            .badCertificateStatusResponse,
        ])
    func refusedServer(variant: Variant, alert: TLSAlert) throws {
        for (answersLate, isRequested) in [(false, false), (true, false), (false, true), (true, true)] {
            let settings = TLSServerContext.Settings(versions: variant.versions, issuers: isRequested ? [] : nil)
            let exchange = try Exchange(variant.settings(), TLSServerContext(settings))
            exchange.answersLate = answersLate
            exchange.verify = { _ in alert }
            exchange.run()
            #expect(exchange.failure == .refused(alert))
            #expect(exchange.server.alerts == [alert])
            #expect(!exchange.server.isComplete)
        }
    }

    @Test(
        "Nothing but the ClientHello reaches a server before it is trusted", arguments: Variant.all, [false, true])
    func earlyBytes(variant: Variant, isIdentityRequested: Bool) throws {
        let context = try TLSServerContext(
            .init(versions: variant.versions, issuers: isIdentityRequested ? [] : nil))
        let first = try Exchange(variant.settings(), context)
        first.run()
        first.reply([1])
        for session in [nil, first.sessions.first] {
            let (client, server) = (try TLSEngine(variant.settings()), TLSServerEngine(context))
            if let session { client.resume(session) }
            var questionCount = 0
            #expect(client.next().isNone)
            server.receive(try #require(client.takeOutput()).readableBytesView)
            client.receive(ByteBuffer(bytes: server.takeOutput()))
            while case .verificationRequested = client.next() { questionCount += 1 }
            #expect(questionCount == 1)
            #expect(client.isWaiting)
            #expect(client.takeOutput() == nil)
            #expect(client.exportSecret(label: "EXPORTER-test", length: 8) == nil)
            client.approveServer()
            while !client.next().isNone {}
            #expect(client.takeOutput() != nil || isIdentityRequested)
        }
    }

    @Test("Old versions and the administrator's configuration need OpenSSL, and old versions a leniency")
    func leniency() {
        let failures: [(TLSClientSettings, TLSFailure)] = [
            (
                TLSClientSettings(serverName: nil, versions: .tls10 ... .tls13, library: .openSSL),
                .unusableSettings(reason: "LEGACY_VERSION")
            ),
            (
                TLSClientSettings(serverName: nil, allowsLegacy: true), .unusableSettings(reason: "NEEDS_OPENSSL")
            ),
            (
                TLSClientSettings(serverName: nil, usesSystemConfiguration: true),
                .unusableSettings(reason: "NEEDS_OPENSSL")
            ),
        ]
        for (settings, failure) in failures { #expect(throws: failure) { try TLSEngine(settings) } }
    }

    @Test("A library that is not part of the build is an error", .enabled(if: !TLSLibrary.openSSL.isAvailable))
    func missingLibrary() {
        #expect(throws: TLSFailure.unavailable(.openSSL, version: nil)) {
            try TLSEngine(TLSClientSettings(serverName: nil, library: .openSSL))
        }
    }

    @Test("Late answers continue the handshake, also byte by byte", arguments: Variant.all)
    func lateAnswers(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions, issuers: []))
        for size in [1, 7, Int.max] {
            let exchange = try Exchange(variant.settings(), context)
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

    @Test("Answers without a question and after the end are ignored", arguments: TLSLibrary.available)
    func strayAnswers(library: TLSLibrary) throws {
        let exchange = try Exchange(.init(serverName: nil, library: library), TLSServerContext())
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
        arguments: Variant.all, KeyType.allCases)
    func identity(variant: Variant, key: KeyType) throws {
        let identity = try key.identity()
        let issuers = [Encoding.sequence(), Encoding.sequence(Encoding.element(0x31))]
        let exchange = try Exchange(
            variant.settings(),
            TLSServerContext(.init(versions: variant.versions, issuers: issuers, requiresClientCertificate: true)))
        exchange.selectIdentity = { _ in try? TLSIdentity(identity) }
        exchange.run()
        let request = try #require(exchange.requests.first)
        #expect(request.phase == .handshake)
        #expect(request.version == variant.version)
        #expect(request.issuers == issuers)
        #expect(request.signatureSchemes.contains(.ecdsaP256SHA256))
        exchange.reply([1])
        #expect(exchange.received == [1])
        #expect(exchange.server.clientChain == (try identity.chain.map { try $0.bytes() }))
    }

    /// Each case has the types, and the numbers of the remaining algorithms before TLS 1.3.
    @Test(
        "Before TLS 1.3, the certificate types exclude algorithms",
        arguments: [
            ([1, 64], [0x0403, 0x0201, 0x0401, 0x0203, 0x0804, 0x0806, 0x0807, 0x0809]),
            ([1], [0x0201, 0x0401, 0x0804, 0x0806, 0x0809]), ([64], [0x0403, 0x0203, 0x0807, 0x0809]),
            ([2], [0x0809]), ([], [0x0809]),
        ] as [([UInt8], [UInt16])])
    func certificateTypes(types: [UInt8], remaining: [UInt16]) {
        func schemes(_ numbers: [UInt16], _ version: TLSProtocolVersion) -> [UInt16] {
            TLSIdentityRequest(
                phase: .handshake, version: version, issuers: [],
                signatureSchemes: numbers.map(TLSSignatureScheme.init), certificateTypes: types
            ).signatureSchemes.map(\.rawValue)
        }
        let all: [UInt16] = [0x0403, 0x0201, 0x0401, 0x0203, 0x0804, 0x0806, 0x0807, 0x0809]
        #expect(schemes(all, .tls12) == remaining)
        #expect(schemes(all, .tls13) == all)
        // A list that becomes empty permits nothing, and a list that was empty permits everything.
        #expect(schemes([0x0403], .tls12) == (types.contains(64) ? [0x0403] : [0]))
        #expect(schemes([], .tls12) == [])
    }

    @Test("A server that does not require an identity accepts none", arguments: Variant.all)
    func noIdentity(variant: Variant) throws {
        let exchange = try Exchange(
            variant.settings(), TLSServerContext(.init(versions: variant.versions, issuers: [])))
        exchange.run()
        exchange.reply([1])
        #expect(exchange.received == [1])
        #expect(exchange.server.clientChain == [])
    }

    @Test(
        "The alert of a server that requires an identity is the failure", arguments: Variant.all)
    func missingIdentity(variant: Variant) throws {
        let exchange = try Exchange(
            variant.settings(),
            TLSServerContext(.init(versions: variant.versions, issuers: [], requiresClientCertificate: true)))
        exchange.run()
        let isLate = variant.version == .tls13
        #expect(exchange.failure == .received(isLate ? .certificateRequired : .handshakeFailure))
        #expect((exchange.facts != nil) == isLate)
    }

    @Test("The alert of a server that refuses the identity is the failure", arguments: Variant.all)
    func refusedIdentity(variant: Variant) throws {
        let exchange = try Exchange(
            variant.settings(),
            TLSServerContext(.init(versions: variant.versions, issuers: [], refusal: .certificateRevoked)))
        exchange.selectIdentity = { _ in try? TLSIdentity(TLSServerContext.identity) }
        exchange.run()
        #expect(exchange.failure == .received(.certificateRevoked))
    }

    @Test("A key that is elsewhere signs", arguments: Variant.boringSSL, [false, true])
    func signer(variant: Variant, answersLate: Bool) throws {
        let key = P256.Signing.PrivateKey()
        let identity = try Identity.selfSigned(Certificate.PrivateKey(key))
        let exchange = try Exchange(
            variant.settings(),
            TLSServerContext(.init(versions: variant.versions, issuers: [], requiresClientCertificate: true)))
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

    @Test("A failing signature and an unusable key end the handshake", arguments: Variant.boringSSL)
    func unusableKey(variant: Variant) throws {
        let chain = try TLSServerContext.identity.chain.map { try $0.bytes() }
        let context = try TLSServerContext(
            .init(versions: variant.versions, issuers: [], requiresClientCertificate: true))
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
            let exchange = try Exchange(variant.settings(), context)
            exchange.selectIdentity = { _ in identity }
            exchange.run()
            #expect(isExpected(try #require(exchange.failure)), "\(String(describing: exchange.failure))")
        }
    }
}

extension TLSEvent? {
    fileprivate var isNone: Bool { if case nil = self { true } else { false } }
}
