// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import NIOCore
import TLSTransport
import Testing
import TLSRecipes

/// A server that breaks a rule, and the expected end of the connection.
struct HostileServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: ServerScript
    /// The expected failure; `nil` if the client must tolerate the server's behavior.
    let failure: TLSFailure?
    var settings = TLSClientSettings(serverName: nil)

    fileprivate init(
        _ description: String, _ script: ServerScript, _ reason: String, _ alert: UInt8,
        _ settings: TLSClientSettings = TLSClientSettings(serverName: nil)
    ) {
        self.init(
            description, script, .violation(reason: reason, sent: TLSAlert(rawValue: alert)), settings)
    }

    fileprivate init(
        _ description: String, _ script: ServerScript, _ failure: TLSFailure?,
        _ settings: TLSClientSettings = TLSClientSettings(serverName: nil)
    ) {
        testDescription = description
        (self.script, self.failure, self.settings) = (script, failure, settings)
    }
}

/// Tests of servers that break the rules of TLS, with ideas of tlsfuzzer and of BoringSSL's runner.
///
/// The reasons are BoringSSL's. Some of its alerts differ from those of RFC 8446: another session ID, compression and a
/// wrong version yield `decode_error` instead of `illegal_parameter`, an unusable key share `internal_error`, an empty
/// list of certificates `certificate_required` instead of `decode_error`, a record without an inner type `decrypt_error`,
/// and a record without protection `bad_record_mac` instead of `unexpected_message`.
@Suite struct HostileServerTests {
    @Test(
        "A server that breaks a rule receives the right alert, and the failure is typed",
        arguments: HostileServer.hellos + HostileServer.flights + HostileServer.records + HostileServer.afterwards)
    func hostileServer(server: HostileServer) throws {
        for pieceSize in [Int.max, 1] {
            let exchange = try ScriptedExchange(server.script, server.settings)
            exchange.pieceSize = pieceSize
            exchange.run()
            // The scripts do not announce their end.
            #expect(exchange.failure == server.failure ?? .truncated)
            #expect(exchange.client.hasEnded)
            if server.failure == nil { #expect(exchange.server.isFinished) }
            #expect(exchange.maximumStored < 20_000)
            #expect(exchange.outputCount < 20_000)
        }
    }

    /// The servers that OpenSSL treats differently.
    private static let exceptions: Set<String> = [
        // OpenSSL ignores extensions with unknown numbers.
        "an extension that was not offered, in TLS 1.3", "an extension that was not offered in EncryptedExtensions",
        "an unknown extension of a certificate",
        // It offers post-handshake authentication.
        "a certificate request that was not offered",
        // RFC 5246 section 7.4.1.1 permits this.
        "a HelloRequest in the handshake", "a flood of HelloRequest",
        // The engine limits the length of the answers.
        "a flood of updates", "a flood of updates with an answer",
        // RFC 8446 section 5.1 forbids this, and BoringSSL tolerates it.
        "an empty handshake record in TLS 1.3",
    ]

    @Test(
        "OpenSSL refuses the same servers with a few exceptions",
        .enabled(if: TLSLibrary.openSSL.isAvailable, "needs the trait OpenSSL"),
        arguments: HostileServer.hellos + HostileServer.flights + HostileServer.records + HostileServer.afterwards)
    func openSSL(server: HostileServer) throws {
        for pieceSize in [Int.max, 1] {
            var settings = server.settings
            settings.library = .openSSL
            let exchange = try ScriptedExchange(server.script, settings)
            exchange.pieceSize = pieceSize
            exchange.run()
            let isTolerated = (server.failure == nil) != Self.exceptions.contains(server.testDescription)
            #expect((exchange.failure == .truncated) == isTolerated, "\(exchange.failure as Any)")
            #expect(exchange.client.hasEnded)
            #expect(exchange.maximumStored < 40_000)
            #expect(exchange.outputCount < 20_000)
        }
    }

    @Test("A server that sends no data receives a limited number of answers", arguments: TLSLibrary.available)
    func answers(library: TLSLibrary) throws {
        let script = ServerScript.tls13().appending(HostileServer.updates(4_000, requested: 1))
        let exchange = try ScriptedExchange(script, TLSClientSettings(serverName: nil, library: library))
        exchange.pieceSize = 1_000
        exchange.run()
        guard case .violation(reason: "TOO_MANY_KEY_UPDATES", _)? = exchange.failure else {
            Issue.record("\(String(describing: exchange.failure))")
            return
        }
        #expect(exchange.outputCount < 100_000)
    }

    @Test("A server without RFC 5746 cannot renegotiate", arguments: TLSLibrary.available)
    func unboundRenegotiation(library: TLSLibrary) throws {
        let script = ServerScript.tls12().replacing(2, with: .message(2, HostileServer.withoutBinding))
        let settings = TLSClientSettings(serverName: nil, library: library, allowsLegacy: library == .openSSL)
        let exchange = try ScriptedExchange(script.appending(.forgery(0, [])), settings)
        exchange.run()
        #expect(exchange.received == [1])
        #expect(exchange.failure == .renegotiationRefused)
    }

    @Test("The scripted server completes handshakes without a change")
    func control() throws {
        var options = ServerScript.Options()
        (options.staple, options.timestamps, options.ticketCount) = ([1, 2, 3], [0, 4, 0, 2, 7, 8], 2)
        (options.requestsCertificate, options.applicationProtocol) = (true, "h2")
        let settings = TLSClientSettings(serverName: nil, applicationProtocols: ["h2"])
        for script in [ServerScript.tls12(options), .tls13(options)] {
            for length in [1, 100, 16_384] {
                let exchange = try ScriptedExchange(script, settings)
                exchange.server.fragmentLength = length
                exchange.run()
                #expect(exchange.facts?.applicationProtocol == "h2")
                #expect(exchange.received == [1])
                #expect(exchange.requests.count == 1)
                #expect(exchange.sessions.count == (script.isTLS13 ? 2 : 1))
                #expect(exchange.failure == .truncated)
            }
        }
    }

    @Test("A renegotiation with the same certificate completes")
    func renegotiation() throws {
        let exchange = try ScriptedExchange(.tls12(renegotiates: true))
        exchange.run()
        #expect(exchange.received == [1, 2])
        #expect(exchange.failure == .truncated)
    }

    @Test("Another key than the certificate's cannot sign", arguments: [ServerScript.tls12(), .tls13()])
    func otherKey(script: ServerScript) throws {
        let exchange = try ScriptedExchange(script)
        exchange.server.signingKey = P256.Signing.PrivateKey()
        exchange.run()
        #expect(exchange.failure == .violation(reason: "BAD_SIGNATURE", sent: TLSAlert(rawValue: 51)))
        #expect(exchange.facts == nil)
    }

    @Test(
        "A connection that ends at any byte is a failure",
        arguments: [ServerScript.tls12(), .tls13(), .tls12(renegotiates: true)])
    func truncation(script: ServerScript) throws {
        let full = try ScriptedExchange(script)
        full.run()
        for end in 0...full.inputCount {
            let exchange = try ScriptedExchange(script)
            exchange.end = end
            exchange.run()
            #expect(exchange.failure == (exchange.facts == nil ? .closed : .truncated))
        }
    }

    @Test("Tickets of any number yield sessions, and are not stored by the engine")
    func tickets() throws {
        var options = ServerScript.Options()
        options.ticketCount = 1_000
        let exchange = try ScriptedExchange(.tls13(options))
        exchange.pieceSize = 1_000
        exchange.run()
        #expect(exchange.sessions.count == 1_000)
        #expect(exchange.received == [1])
        #expect(exchange.maximumStored < 2_000)
    }

    @Test("Bytes after close_notify are ignored and not stored", arguments: [ServerScript.tls12(), .tls13()])
    func afterEnd(script: ServerScript) throws {
        let records: [ServerScript.Step] = [.record(21, [1, 0])] + Array(repeating: .record(23, [2]), count: 50)
        let exchange = try ScriptedExchange(script.appending(records))
        exchange.run()
        #expect(exchange.isInputClosed)
        #expect(exchange.received == [1])
        #expect(exchange.failure == nil)
        #expect(exchange.client.pendingInput == 0)
    }
}

// MARK: - ServerHello

extension HostileServer {
    private static let only12 = TLSClientSettings(serverName: nil, versions: .tls12 ... .tls12)

    private static func hello12(
        version: UInt16 = 0x0303, _ random: [UInt8] = ServerScript.random, sessionID: [UInt8] = [],
        suite: Int = 0xC02B, compression: UInt8 = 0, extensions: [UInt8] = [0, 5, 0xFF, 1, 0, 1, 0]
    ) -> ServerScript {
        .tls12().replacing(
            2,
            with: .message(
                2,
                ServerScript.hello(
                    version: version, random, sessionID: sessionID, suite: suite, compression: compression, extensions)
            ))
    }

    private static func hello13(
        suite: Int = 0x1301, sessionID: [UInt8] = ServerScript.sessionID, compression: UInt8 = 0,
        version: [UInt8] = [0, 43, 0, 2, 3, 4], share: [UInt8]? = nil, more: [UInt8] = []
    ) -> ServerScript {
        let share = share ?? [0, 51, 0, 36, 0, 29, 0, 32] + ScriptedTLSServer.publicKey(29)
        return .tls13().replacing(
            2,
            with: .message(
                2,
                ServerScript.hello(
                    ServerScript.random, sessionID: sessionID, suite: suite, compression: compression,
                    ServerScript.vector(version + share + more, octets: 2))))
    }

    /// Makes a script that begins with a HelloRetryRequest.
    private static func retry(_ body: [UInt8], then steps: [ServerScript.Step]? = nil) -> ServerScript {
        let steps = steps ?? Array(ServerScript.tls13().steps)
        return ServerScript(isTLS13: true, steps: [.wait(1), .message(2, body), .changeCipherSpec] + steps)
    }

    /// Returns a random value that ends with a sentinel (RFC 8446 section 4.1.3).
    private static func sentinel(_ last: UInt8) -> [UInt8] {
        ServerScript.random.prefix(24) + Array("DOWNGRD".utf8) + [last]
    }

    private static var retryOptions: ServerScript.Options {
        var options = ServerScript.Options()
        options.group = 23
        return options
    }

    fileprivate static let hellos: [HostileServer] = [
        .init("SSL 3.0", hello12(version: 0x0300), "UNSUPPORTED_PROTOCOL", 70),
        .init("TLS 1.0", hello12(version: 0x0301), "UNSUPPORTED_PROTOCOL", 70),
        .init("TLS 1.1", hello12(version: 0x0302), "UNSUPPORTED_PROTOCOL", 70),
        .init("TLS 1.3 in the field of TLS 1.2", hello12(version: 0x0304), "DECODE_ERROR", 50),
        .init("an unknown version", hello13(version: [0, 43, 0, 2, 3, 5]), "UNSUPPORTED_PROTOCOL", 70),
        .init(
            "TLS 1.2 in supported_versions",
            hello13(suite: 0xC02B, sessionID: [], version: [0, 43, 0, 2, 3, 3], share: []), "UNEXPECTED_EXTENSION", 110),
        .init(
            "key_share without supported_versions", hello13(suite: 0xC02B, sessionID: [], version: []),
            "UNEXPECTED_EXTENSION", 110),
        .init(
            "TLS 1.2 for a client of TLS 1.3", .tls12(), "UNSUPPORTED_PROTOCOL", 70,
            TLSClientSettings(serverName: nil, versions: .tls13 ... .tls13)),
        .init("TLS 1.3 for a client of TLS 1.2", .tls13(), "UNSUPPORTED_PROTOCOL", 70, only12),
        .init("the sentinel of TLS 1.2", hello12(sentinel(1)), "TLS13_DOWNGRADE", 47),
        .init("the sentinel of TLS 1.1", hello12(sentinel(0)), "TLS13_DOWNGRADE", 47),
        .init("the sentinel of TLS 1.2 for a client of TLS 1.2", hello12(sentinel(1)), nil, only12),
        .init("a cipher suite without a number", hello12(suite: 0xC0FF), "WRONG_CIPHER_RETURNED", 47),
        .init("a cipher suite of TLS 1.3 in TLS 1.2", hello12(suite: 0x1301), "WRONG_CIPHER_RETURNED", 47),
        .init("a cipher suite of TLS 1.2 in TLS 1.3", hello13(suite: 0xC02B), "WRONG_CIPHER_RETURNED", 47),
        .init("a cipher suite that was not offered", hello12(suite: 0x0005), "WRONG_CIPHER_RETURNED", 47),
        .init("compression in TLS 1.2", hello12(compression: 1), "UNSUPPORTED_COMPRESSION_ALGORITHM", 47),
        .init("compression in TLS 1.3", hello13(compression: 1), "DECODE_ERROR", 50),
        .init("another session ID", hello13(sessionID: [1, 2, 3]), "DECODE_ERROR", 50),
        .init(
            "an extension that was not offered", hello12(extensions: [0, 4, 0x12, 0x34, 0, 0]), "UNEXPECTED_EXTENSION",
            110),
        .init(
            "an extension that was not offered, in TLS 1.3", hello13(more: [0x12, 0x34, 0, 0]), "UNEXPECTED_EXTENSION",
            110),
        .init(
            "an extension of EncryptedExtensions in ServerHello", hello13(more: [0, 16, 0, 0]), "UNEXPECTED_EXTENSION",
            110),
        .init(
            "a pre-shared key that was not offered", hello13(more: [0, 41, 0, 2, 0, 0]), "UNEXPECTED_EXTENSION", 110),
        .init("a repeated extension", hello13(more: [0, 43, 0, 2, 3, 4]), "DUPLICATE_EXTENSION", 47),
        .init(
            "a repeated extension in TLS 1.2",
            hello12(extensions: [0, 10, 0xFF, 1, 0, 1, 0, 0xFF, 1, 0, 1, 0]), "PARSE_TLSEXT", 50),
        .init("no key share", hello13(share: []), "MISSING_KEY_SHARE", 109),
        .init("a key share of another group", hello13(share: [0, 51, 0, 5, 0, 24, 0, 1, 4]), "WRONG_CURVE", 47),
        .init(
            "a key share of zeros", hello13(share: [0, 51, 0, 36, 0, 29, 0, 32] + [UInt8](repeating: 0, count: 32)),
            "BAD_ECPOINT", 80),
        .init("a short key share", hello13(share: [0, 51, 0, 6, 0, 29, 0, 2, 1, 2]), "BAD_ECPOINT", 80),
        .init("bytes after the extensions", hello12(extensions: [0, 0, 0]), "DECODE_ERROR", 50),
        .init(
            "a truncated ServerHello", ServerScript.tls12().replacing(2, with: .message(2, [3, 3, 7])), "DECODE_ERROR",
            50),
        .init(
            "renegotiation data in the first handshake", hello12(extensions: [0, 6, 0xFF, 1, 0, 2, 1, 9]),
            "RENEGOTIATION_MISMATCH", 40),
        .init(
            "ALPN that was not offered", hello12(extensions: [0, 9, 0, 16, 0, 5, 0, 3, 2, 104, 50]),
            "UNEXPECTED_EXTENSION", 110),
        .init("HelloRetryRequest", .tls13(retryOptions), nil),
        .init(
            "HelloRetryRequest twice", retry(ServerScript.retry(23), then: ServerScript.tls13(retryOptions).steps),
            "UNEXPECTED_MESSAGE", 10),
        .init("HelloRetryRequest for the offered share", retry(ServerScript.retry(29)), "WRONG_CURVE", 47),
        .init("HelloRetryRequest for a group that was not offered", retry(ServerScript.retry(30)), "WRONG_CURVE", 47),
        .init(
            "HelloRetryRequest that changes nothing",
            retry(ServerScript.hello(ServerScript.retryRandom, suite: 0x1301, [0, 6, 0, 43, 0, 2, 3, 4])),
            "EMPTY_HELLO_RETRY_REQUEST", 47),
        .init(
            "HelloRetryRequest with an unknown extension",
            retry(ServerScript.retry(23, extensions: [0x12, 0x34, 0, 0])),
            "UNEXPECTED_EXTENSION", 110),
        .init("another group than HelloRetryRequest's", retry(ServerScript.retry(23)), "WRONG_CURVE", 47),
        .init(
            "TLS 1.2 after HelloRetryRequest", retry(ServerScript.retry(23), then: ServerScript.tls12().steps),
            "DECODE_ERROR", 50),
    ]
}

// MARK: - Certificates, signatures and Finished

extension HostileServer {
    private static let unknownExtension: [UInt8] = [0x12, 0x34, 0, 0]

    private static func encryptedExtensions(_ extensions: [UInt8]) -> ServerScript {
        .tls13().replacing(8, with: .message(8, ServerScript.vector(extensions, octets: 2)))
    }

    /// Makes a script that signs other parameters of the key exchange.
    private static func exchange12(_ parameters: [UInt8]) -> ServerScript {
        var script = ServerScript.tls12()
        script.parameters = parameters
        return script
    }

    /// Makes a script with an invalid signature of another algorithm.
    private static func exchange12(scheme: [UInt8]) -> ServerScript {
        .tls12().replacing(12, with: .message(12, share12 + scheme + [0, 2, 1, 1]))
    }

    private static let share12 = [3, 0, 29, 32] + ScriptedTLSServer.publicKey(29)

    fileprivate static let flights: [HostileServer] = [
        .init(
            "an extension that was not offered in EncryptedExtensions", encryptedExtensions(unknownExtension),
            "UNEXPECTED_EXTENSION", 110),
        .init("early data that was not offered", encryptedExtensions([0, 42, 0, 0]), "UNEXPECTED_EXTENSION", 110),
        .init(
            "ALPN in EncryptedExtensions that was not offered", encryptedExtensions([0, 16, 0, 5, 0, 3, 2, 104, 50]),
            "UNEXPECTED_EXTENSION", 110),
        .init(
            "two protocols", encryptedExtensions([0, 16, 0, 8, 0, 6, 2, 104, 50, 2, 104, 50]),
            "ERROR_PARSING_EXTENSION", 50,
            TLSClientSettings(serverName: nil, applicationProtocols: ["h2"])),
        .init(
            "an unknown extension of a certificate",
            .tls13().replacing(11, with: .message(11, ServerScript.certificate13(extensions: unknownExtension))),
            "UNEXPECTED_EXTENSION", 110),
        .init("no EncryptedExtensions", .tls13().replacing(8), "UNEXPECTED_MESSAGE", 10),
        .init("no certificate message", .tls13().replacing(11), "UNEXPECTED_MESSAGE", 10),
        .init("no certificate message in TLS 1.2", .tls12().replacing(11), "UNEXPECTED_MESSAGE", 10),
        .init(
            "no certificate", .tls13().replacing(11, with: .message(11, [0, 0, 0, 0])),
            "PEER_DID_NOT_RETURN_A_CERTIFICATE", 116),
        .init("no certificate in TLS 1.2", .tls12().replacing(11, with: .message(11, [0, 0, 0])), "DECODE_ERROR", 50),
        .init(
            "a certificate that is not DER",
            .tls13().replacing(11, with: .message(11, [0, 0, 0, 7, 0, 0, 2, 1, 2, 0, 0])), "CANNOT_PARSE_LEAF_CERT", 50),
        .init(
            "an empty certificate", .tls13().replacing(11, with: .message(11, [0, 0, 0, 5, 0, 0, 0, 0, 0])),
            "CERT_LENGTH_MISMATCH", 50),
        .init(
            "a context in the certificate",
            .tls13().replacing(11, with: .message(11, [1, 9] + ServerScript.certificate13().dropFirst())),
            "DECODE_ERROR", 50),
        .init(
            "a staple that was not announced", .tls12().inserting(.message(22, [1, 0, 0, 1, 9]), before: 12),
            "UNEXPECTED_MESSAGE", 10),
        .init("no signature", .tls13().replacing(15), "UNEXPECTED_MESSAGE", 10),
        .init("no signature in TLS 1.2", .tls12().replacing(12), "UNEXPECTED_MESSAGE", 10),
        .init("a wrong signature", .tls13().replacing(15, with: .signature(1)), "BAD_SIGNATURE", 51),
        .init("a wrong signature in TLS 1.2", .tls12().replacing(12, with: .signature(1)), "BAD_SIGNATURE", 51),
        .init(
            "a signature with SHA-1", .tls13().replacing(15, with: .message(15, [2, 3, 0, 2, 1, 1])),
            "WRONG_SIGNATURE_TYPE", 47),
        .init("a signature with SHA-1 in TLS 1.2", exchange12(scheme: [2, 3]), "WRONG_SIGNATURE_TYPE", 47),
        .init(
            "a signature of another type of key", .tls13().replacing(15, with: .message(15, [8, 4, 0, 2, 1, 1])),
            "WRONG_SIGNATURE_TYPE", 47),
        .init("a signature with MD5", exchange12(scheme: [1, 1]), "WRONG_SIGNATURE_TYPE", 47),
        .init("a curve that was not offered", exchange12([3, 0, 30, 1, 4]), "WRONG_CURVE", 47),
        .init("explicit curve parameters", exchange12([1, 0, 29, 1, 4]), "DECODE_ERROR", 50),
        .init("no point", exchange12([3, 0, 29, 0]), "BAD_ECPOINT", 47),
        .init("a short point", exchange12([3, 0, 29, 1, 4]), "BAD_ECPOINT", 47),
        .init("a point of zeros", exchange12([3, 0, 29, 32] + [UInt8](repeating: 0, count: 32)), "BAD_ECPOINT", 47),
        .init(
            "a certificate request after the certificate",
            .tls13().inserting(.message(13, [0, 0, 8, 0, 13, 0, 4, 0, 2, 4, 3]), before: 15), "UNEXPECTED_MESSAGE", 10),
        .init(
            "a certificate request without algorithms", .tls13().inserting(.message(13, [0, 0, 0]), before: 11),
            "DECODE_ERROR", 50),
        .init("a wrong Finished", .tls13().replacing(20, with: .finished(1)), "DIGEST_CHECK_FAILED", 51),
        .init("a wrong Finished in TLS 1.2", .tls12().replacing(20, with: .finished(1)), "DIGEST_CHECK_FAILED", 51),
        .init("a short Finished", .tls13().replacing(20, with: .message(20, [1, 2])), "DIGEST_CHECK_FAILED", 51),
        .init(
            "an empty Finished in TLS 1.2", .tls12().replacing(20, with: .message(20, [])), "DIGEST_CHECK_FAILED", 51),
        .init("no Finished", .tls13().replacing(20), "BAD_DECRYPT", 20),
        .init("data before Finished", .tls13().inserting(.record(23, [9]), before: 20), "UNEXPECTED_RECORD", 10),
        .init(
            "a forged extension", .tls13().replacing(8, with: .omission(8, [0, 0]), .forgery(8, [0, 4, 0, 10, 0, 0])),
            "BAD_SIGNATURE", 51),
        .init("a forged message", .tls12().replacing(14, with: .omission(14, []), .forgery(14, [])), nil),
        .init(
            "a second ServerHello", .tls12().inserting(.message(2, ServerScript.hello12()), before: 11),
            "UNEXPECTED_MESSAGE", 10),
        .init("an unknown message", .tls13().inserting(.message(99, []), before: 11), "UNEXPECTED_MESSAGE", 10),
        .init(
            "a message of the client", .tls12().inserting(.message(16, [1, 2]), before: 14), "UNEXPECTED_MESSAGE", 10),
        .init("a ServerHelloDone with content", .tls12().replacing(14, with: .message(14, [1])), "DECODE_ERROR", 50),
        .init(
            "a ticket that was not announced", .tls12().inserting(.message(4, [0, 0, 0, 9, 0, 1, 1]), before: 20),
            "UNEXPECTED_MESSAGE", 10),
        .init(
            "no ChangeCipherSpec",
            ServerScript(isTLS13: false, steps: ServerScript.tls12().steps.filter { $0 != .changeCipherSpec }),
            "UNEXPECTED_RECORD", 10),
        .init("an early ChangeCipherSpec", .tls12().inserting(.record(20, [1]), before: 14), "UNEXPECTED_RECORD", 10),
    ]
}

// MARK: - Records and alerts

extension HostileServer {
    private static func many(_ step: ServerScript.Step, _ count: Int) -> [ServerScript.Step] {
        Array(repeating: step, count: count)
    }

    private static func start(_ bytes: [UInt8]) -> ServerScript {
        ServerScript(isTLS13: false, steps: [.wait(1), .bytes(bytes)])
    }

    private static let full = [UInt8](repeating: 5, count: 16_384)

    fileprivate static let records: [HostileServer] = [
        .init("data before the handshake", start(ServerScript.record(23, [1])), .notTLS),
        .init("ChangeCipherSpec before the handshake", start(ServerScript.record(20, [1])), .notTLS),
        .init("SSL 2.0", start([0x80, 0x2E, 4, 0, 1, 0, 2]), .notTLS),
        .init("a record of another major version", start([22, 9, 9, 0, 1, 2]), "WRONG_VERSION_NUMBER", 70),
        .init("a record that is too long", start([22, 3, 3, 0x48, 1] + full + full), "ENCRYPTED_LENGTH_TOO_LONG", 22),
        .init(
            "a message that is too long", start(ServerScript.record(22, [2, 0xFF, 0xFF, 0xFF])),
            "EXCESSIVE_MESSAGE_SIZE", 47),
        .init(
            "a record of an unknown type", ServerScript.tls12().inserting(.record(24, [1]), before: 11),
            "UNEXPECTED_RECORD", 10),
        .init(
            "a fatal alert after ServerHelloDone",
            ServerScript(
                isTLS13: false,
                steps: ServerScript.tls12().steps.prefix { $0 != .wait(20) } + [.record(21, [2, 40])]),
            .received(.handshakeFailure)),
        .init("a fatal alert at the start", start(ServerScript.record(21, [2, 40])), .received(.handshakeFailure)),
        .init("a short alert", start(ServerScript.record(21, [2])), "BAD_ALERT", 50),
        .init("two alerts in a record", start(ServerScript.record(21, [1, 90, 1, 90])), "BAD_ALERT", 50),
        .init("an alert of an unknown level", start(ServerScript.record(21, [3, 40])), "UNKNOWN_ALERT_TYPE", 47),
        .init("close_notify at the start", start(ServerScript.record(21, [1, 0])), .closed),
        .init(
            "a warning within a message",
            .tls12().replacing(
                14, with: .omission(14, []), .record(22, [14, 0]), .record(21, [1, 90]), .record(22, [0, 0])), nil),
        .init(
            "a warning within a message of TLS 1.3",
            .tls13().replacing(
                8, with: .omission(8, [0, 0]), .record(22, [8, 0]), .record(21, [1, 90]), .record(22, [0, 2, 0, 0])),
            nil),
        .init("four warnings", .tls12().inserting(many(.record(21, [1, 90]), 4), before: 11), nil),
        .init(
            "a flood of warnings", .tls12().inserting(many(.record(21, [1, 90]), 5), before: 11),
            "TOO_MANY_WARNING_ALERTS", 10),
        .init(
            "a flood of warnings after the handshake", .tls12().appending(many(.record(21, [1, 90]), 5)),
            "TOO_MANY_WARNING_ALERTS", 10),
        .init("a warning in TLS 1.3", .tls13().appending(.record(21, [1, 112])), "BAD_ALERT", 50),
        .init(
            "a flood of user_canceled in TLS 1.3", .tls13().appending(many(.record(21, [1, 90]), 5)),
            "TOO_MANY_WARNING_ALERTS", 10),
        .init("some empty records", .tls12().appending(many(.record(23, []), 32)), nil),
        .init(
            "a flood of empty records", .tls12().appending(many(.record(23, []), 33)), "TOO_MANY_EMPTY_FRAGMENTS", 10),
        .init(
            "a flood of empty records in TLS 1.3", .tls13().appending(many(.record(23, []), 33)),
            "TOO_MANY_EMPTY_FRAGMENTS", 10),
        .init(
            "a flood of empty records in the handshake", .tls12().inserting(many(.record(22, []), 33), before: 11),
            "TOO_MANY_EMPTY_FRAGMENTS", 10),
        .init("an empty handshake record in TLS 1.3", .tls13().appending(.record(22, [])), nil),
        .init(
            "a flood of ChangeCipherSpec", .tls13().inserting(many(.changeCipherSpec, 33), before: 11),
            "TOO_MANY_EMPTY_FRAGMENTS", 10),
        .init(
            "ChangeCipherSpec after the handshake of TLS 1.3", .tls13().appending(.changeCipherSpec),
            "BAD_PACKET_LENGTH", 20),
        .init(
            "a wrong ChangeCipherSpec", .tls13().inserting(.bytes(ServerScript.record(20, [2])), before: 11),
            "BAD_PACKET_LENGTH", 20),
        .init("a full record", .tls13().appending(.record(23, full)), nil),
        .init(
            "a record with too much content", .tls12().appending(.record(23, full + [5])), "DATA_LENGTH_TOO_LONG", 22),
        .init("the same in TLS 1.3", .tls13().appending(.record(23, full + [5])), "DATA_LENGTH_TOO_LONG", 22),
        .init(
            "a record without an inner type", .tls13().appending(.record(0, [0, 0])),
            "DECRYPTION_FAILED_OR_BAD_RECORD_MAC", 51),
        .init(
            "a record without protection", .tls13().appending(.bytes(ServerScript.record(23, full))), "BAD_DECRYPT", 20),
        .init(
            "an alert without protection", .tls13().appending(.bytes(ServerScript.record(21, [2, 40]))),
            "BAD_PACKET_LENGTH", 20),
        .init(
            "a message that spans a change of keys",
            .tls13().replacing(
                2, with: .omission(2, ServerScript.hello13()),
                .record(22, ServerScript.message(2, ServerScript.hello13()) + [8])), "EXCESS_HANDSHAKE_DATA", 10),
    ]
}

// MARK: - After the handshake

extension HostileServer {
    fileprivate static func updates(_ count: Int, requested: UInt8, records: [ServerScript.Step] = []) -> [ServerScript
        .Step]
    {
        (0..<count).flatMap { _ in [.message(24, [requested]), .keys(.update)] + records }
    }

    private static let renegotiating = ServerScript.tls12(renegotiates: true)
    private static let http2 = TLSClientSettings(serverName: nil, applicationProtocols: ["h2"])
    /// A ServerHello without the extension renegotiation_info.
    fileprivate static let withoutBinding = ServerScript.hello(
        ServerScript.random, sessionID: [], suite: 0xC02B, [0, 4, 0, 23, 0, 0])
    private static let otherCertificate = ScriptedTLSServer.certificate(for: P256.Signing.PrivateKey())

    private static var http2Options: ServerScript.Options {
        var options = ServerScript.Options()
        options.applicationProtocol = "h2"
        return options
    }

    fileprivate static let afterwards: [HostileServer] = [
        .init("some updates of the keys", .tls13().appending(updates(32, requested: 1)), nil),
        .init("a flood of updates", .tls13().appending(updates(33, requested: 0)), "TOO_MANY_KEY_UPDATES", 10),
        .init(
            "a flood of updates with an answer", .tls13().appending(updates(33, requested: 1)), "TOO_MANY_KEY_UPDATES",
            10),
        .init("updates between data", .tls13().appending(updates(100, requested: 1, records: [.record(23, [2])])), nil),
        .init("an update with another value", .tls13().appending(.message(24, [2])), "DECODE_ERROR", 50),
        .init(
            "an update without a change of keys", .tls13().appending(.message(24, [0]), .record(23, [2])),
            "BAD_DECRYPT", 20),
        .init(
            "an update with another message",
            .tls13().appending(.message(24, [0]), .message(4, ServerScript.ticket13(1))), "EXCESS_HANDSHAKE_DATA", 10),
        .init(
            "an update in the handshake", .tls13().inserting(.message(24, [0]), before: 11), "UNEXPECTED_MESSAGE", 10),
        .init(
            "a certificate request that was not offered",
            .tls13().appending(.message(13, [1, 7, 0, 8, 0, 13, 0, 4, 0, 2, 4, 3])), "UNEXPECTED_MESSAGE", 10),
        .init(
            "a ServerHello after the handshake", .tls13().appending(.message(2, ServerScript.hello13())),
            "UNEXPECTED_MESSAGE", 10),
        .init("a HelloRequest in TLS 1.3", .tls13().appending(.message(0, [])), "UNEXPECTED_MESSAGE", 10),
        .init("a truncated ticket", .tls13().appending(.message(4, [0, 0, 1])), "DECODE_ERROR", 50),
        .init(
            "an empty ticket", .tls13().appending(.message(4, [0, 0, 14, 16, 1, 2, 3, 4, 0, 0, 0, 0, 0])),
            "DECODE_ERROR", 50),
        .init(
            "a message that is too long after the handshake", .tls13().appending(.record(22, [4, 0xFF, 0xFF, 0xFF])),
            "EXCESSIVE_MESSAGE_SIZE", 47),
        .init(
            "a handshake message in pieces between data", .tls13().appending(.record(22, [4, 0]), .record(23, [1])),
            "UNEXPECTED_RECORD", 10),
        .init(
            "a HelloRequest in the handshake", .tls12().inserting(.forgery(0, []), before: 11), "UNEXPECTED_MESSAGE", 10
        ),
        .init("a HelloRequest with content", .tls12().appending(.forgery(0, [1])), "BAD_HELLO_REQUEST", 50),
        .init(
            "a HelloRequest in HTTP/2", .tls12(http2Options).appending(.forgery(0, [])), .renegotiationRefused, http2),
        .init("a flood of HelloRequest", .tls12().appending(many(.forgery(0, []), 100)), "UNEXPECTED_MESSAGE", 10),
        .init("a second renegotiation", renegotiating.appending(.forgery(0, [])), .renegotiationRefused),
        .init(
            "another certificate in a renegotiation",
            renegotiating.replacing(
                11, with: .message(11, ServerScript.vector(ServerScript.vector(otherCertificate, octets: 3), octets: 3))
            ), "SERVER_CERT_CHANGED", 47),
        .init(
            "a renegotiation without its extension",
            renegotiating.replacing(2, with: .message(2, withoutBinding)), "RENEGOTIATION_MISMATCH", 40),
        .init(
            "a renegotiation like a first handshake",
            renegotiating.replacing(2, with: .message(2, ServerScript.hello12())), "RENEGOTIATION_MISMATCH", 40),
        .init(
            "data in a renegotiation", renegotiating.inserting(.record(23, [3]), before: 11), "UNEXPECTED_RECORD", 10),
        .init(
            "a handshake message after TLS 1.2's handshake", .tls12().appending(.message(14, [])), "BAD_HELLO_REQUEST",
            50),
        .init(
            "ChangeCipherSpec after TLS 1.2's handshake", .tls12().appending(.record(20, [1])), "UNEXPECTED_RECORD", 10),
        .init(
            "a damaged record", .tls12().appending(.bytes([23, 3, 3, 0, 24] + [UInt8](repeating: 0, count: 24))),
            "BAD_DECRYPT", 20),
    ]
}
