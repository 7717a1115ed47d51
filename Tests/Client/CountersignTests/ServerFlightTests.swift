// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing
import TrustRecipes

@testable import Countersign
@testable import HTTPTransport

/// The parser of a server's first flight, which reads the cipher suite and the acceptable issuers.
@Suite struct ServerFlightTests {
    private static let lists: [[[UInt8]]] = [
        [], [[0x30, 0]], (0..<3).map { [0x30, 2, 0x31, $0] },
        (0..<300).map { [UInt8](repeating: UInt8($0 % 251), count: 100) },
    ]

    private static func read(_ flight: FlightRecipe, portion: Int = .max) -> [ServerFlight.Finding] {
        var (reader, findings) = (ServerFlight(), [ServerFlight.Finding]())
        func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            guard portion < bytes.count else { return bytes.isEmpty ? [] : [bytes[...]] }
            return stride(from: 0, to: bytes.count, by: portion).map { bytes[$0...].prefix(portion) }
        }
        for bytes in cut(flight.start) { findings += reader.receive(bytes) }
        let secret = HandshakeSecret(keyLogLine: Array(flight.keyLogLine.utf8))
        if let secret { findings += reader.receive(secret) }
        for bytes in cut(flight.rest) { findings += reader.receive(bytes) }
        return findings
    }

    private static func issuers(_ names: [[UInt8]]) -> AcceptableIssuers? {
        AcceptableIssuers(requestOfTLS12: FlightRecipe.requestOfTLS12(names)[...])
    }

    private static func names(_ findings: [ServerFlight.Finding]) -> [[UInt8]]? {
        for case .acceptableIssuers(let issuers) in findings { return issuers.names }
        return nil
    }

    // MARK: Valid flights

    @Test("The acceptable issuers of TLS 1.2 are parsed from fragments of any size", arguments: lists, [1, 61, 16_384])
    func tls12(list: [[UInt8]], fragment: Int) {
        let flight = FlightRecipe.tls12(naming: list, fragment: fragment)
        guard flight.bytes.count <= 1 << 18 else { return }
        for portion in [1, 13, .max] {
            let findings = Self.read(flight, portion: portion)
            #expect(findings.first == .cipherSuite(0xC02B))
            #expect(Self.names(findings) == list)
        }
    }

    @Test(
        "The acceptable issuers of TLS 1.3 are parsed under each cipher suite, from fragments of any size",
        arguments: [0x1301, 0x1302, 0x1303] as [UInt16], lists)
    func tls13(suite: UInt16, list: [[UInt8]]) {
        for (fragment, padding) in [(16_384, 0), (160, 0), (700, 90)] {
            for (portion, afterRetry) in [(1, false), (13, true), (.max, false), (.max, true)] {
                let flight = FlightRecipe.tls13(
                    suite, naming: list, fragment: fragment, padding: padding, afterRetry: afterRetry)
                let findings = Self.read(flight, portion: portion)
                #expect(findings.first == .cipherSuite(suite))
                #expect(Self.names(findings) == list)
            }
        }
    }

    @Test("Encrypted records are buffered until the handshake secret arrives") func lateSecret() throws {
        let flight = FlightRecipe.tls13(0x1301, naming: Self.lists[2], fragment: 50)
        var reader = ServerFlight()
        #expect(reader.receive(flight.bytes) == [.cipherSuite(0x1301)])
        let secret = try #require(HandshakeSecret(keyLogLine: Array(flight.keyLogLine.utf8)))
        #expect(Self.names(reader.receive(secret)) == Self.lists[2])
        #expect(reader.isDone)
        #expect(reader.receive(flight.bytes).isEmpty)
    }

    /// The ServerHello and the encrypted flight of RFC 8448 section 6 request a certificate and name no issuer.
    @Test("The trace of RFC 8448 section 6 is parsed, and a changed bit is noticed") func rfc8448() throws {
        let secret = "8b02d3c00442a2722c4098ebe8675b23e801510f0d7ed778d8eb0b8f42a19a5e"
        let flight = FlightRecipe(
            start: try Trace.bytes(Trace.serverHello), rest: try Trace.bytes(Trace.flight),
            keyLogLine: FlightRecipe.line(try Trace.bytes(secret)))
        #expect(Self.read(flight) == [.cipherSuite(0x1301), .acceptableIssuers(try #require(Self.issuers([])))])
        for index in flight.rest.indices where index > 2 {
            var tampered = flight
            tampered.rest[index] ^= 1
            #expect(Self.names(Self.read(tampered)) == nil)
        }
    }

    @Test(
        "The cipher suite is parsed with or without a session ID, and a truncated ServerHello is refused",
        arguments: [0, 32])
    func sessionID(length: Int) {
        let hello = FlightRecipe.hello(suite: 0x1301, isTLS13: true, sessionID: length)
        #expect(ServerHello(hello[...])?.cipherSuite == 0x1301)
        for count in 0..<hello.count - 1 where count != hello.count - 8 {
            #expect(ServerHello(hello.prefix(count)) == nil)
        }
        #expect(ServerHello(FlightRecipe.hello(suite: 0x1301, isTLS13: true, sessionID: 33)[...]) == nil)
    }

    @Test("An unknown cipher suite is printed as its number") func unknownSuite() {
        #expect(CipherSuite.name(of: 0xFFFF) == "0xFFFF")
    }

    // MARK: Unreadable flights

    @Test("Records that do not decrypt leave the acceptable issuers unknown") func undecryptable() {
        let flight = FlightRecipe.tls13(0x1301, naming: Self.lists[2], fragment: 40)
        var (wrongSecret, noSecret, lostRecord) = (flight, flight, flight)
        wrongSecret.keyLogLine = FlightRecipe.line([UInt8](repeating: 5, count: 32))
        noSecret.keyLogLine = ""
        // Without ChangeCipherSpec and the first encrypted record, the sequence numbers do not match.
        lostRecord.rest.removeFirst(6 + 5 + 40 + 1 + 16)
        for flight in [wrongSecret, noSecret, lostRecord] {
            #expect(Self.read(flight) == [.cipherSuite(0x1301)])
        }
    }

    @Test("Messages out of order leave the acceptable issuers unknown") func order() {
        var sealer = RecordSealer(0x1301)
        let request = FlightRecipe.message(13, FlightRecipe.requestOfTLS13(Self.lists[1]))
        let start = FlightRecipe.tls13(0x1301, naming: [], fragment: 100).start
        let line = FlightRecipe.line(sealer.secret)
        let sealed = sealer.seal(21, [2, 40]) + sealer.seal(22, request)
        for rest in [
            sealed, FlightRecipe.record(22, request), FlightRecipe.record(23, []),
            FlightRecipe.record(23, [UInt8](repeating: 0, count: 17)),
        ] {
            #expect(Self.names(Self.read(FlightRecipe(start: start, rest: rest, keyLogLine: line))) == nil)
        }
        // A CertificateRequest must not follow the Certificate.
        sealer = RecordSealer(0x1301)
        let late = sealer.seal(22, FlightRecipe.message(11, [0]) + request)
        #expect(Self.names(Self.read(FlightRecipe(start: start, rest: late, keyLogLine: line))) == nil)
        // A record with padding only.
        sealer = RecordSealer(0x1301)
        let empty = sealer.seal(0, [], padding: 20) + sealer.seal(22, request)
        #expect(Self.names(Self.read(FlightRecipe(start: start, rest: empty, keyLogLine: line))) == nil)
    }

    @Test(
        "Bytes of another protocol are reported as not TLS",
        arguments: [Array("HTTP/1.1 400 Bad Request\r\n".utf8), [0], [24], [UInt8](repeating: 0xFF, count: 9)])
    func otherProtocols(bytes: [UInt8]) {
        #expect(Self.read(FlightRecipe(start: bytes)) == [.notTLS])
    }

    @Test("Parsing ends at records and flights that are too large") func sizeLimit() {
        let hello = FlightRecipe.record(22, FlightRecipe.message(2, FlightRecipe.hello(suite: 0xC02B, isTLS13: false)))
        for bytes in [
            [22, 3, 3, 0x48, 1], FlightRecipe.record(22, [11, 1, 0x90, 1]),
            [UInt8](repeating: 0, count: 60_000).flatMap { _ in FlightRecipe.record(22, []) },
        ] as [[UInt8]] {
            var reader = ServerFlight()
            #expect(reader.receive(hello) == [.cipherSuite(0xC02B)])
            #expect(reader.receive(bytes).isEmpty)
            let isDone = reader.isDone
            #expect(isDone)
        }
    }

    /// A message before the limit is parsed even if the read extends beyond it; a message across the limit is not.
    @Test(
        "The limit applies to the position in the flight, not to the size of a read",
        arguments: [(filler: (1 << 18) - 1024, isRead: true), (1 << 18, false)])
    func limitPosition(filler: Int, isRead: Bool) {
        let hello = FlightRecipe.record(22, FlightRecipe.message(2, FlightRecipe.hello(suite: 0xC02B, isTLS13: false)))
        let flight = FlightRecipe(
            start: hello + [UInt8](repeating: 0, count: filler / 5).flatMap { _ in FlightRecipe.record(22, []) }
                + FlightRecipe.record(22, FlightRecipe.message(13, FlightRecipe.requestOfTLS12(Self.lists[2])))
                + FlightRecipe.record(22, [UInt8](repeating: 0, count: 2048)))
        for portion in [61, 4096, .max] {
            let findings = Self.read(flight, portion: portion)
            #expect(findings.first == .cipherSuite(0xC02B))
            #expect(Self.names(findings) == (isRead ? Self.lists[2] : nil))
        }
    }

    @Test(
        "A malformed CertificateRequest of TLS 1.2 has no issuers",
        arguments: [
            [0, 0, 0, 0, 0, 3, 0, 2, 1], [0, 0, 0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 9], [9], [],
            [0, 0, 0],
        ] as [[UInt8]])
    func malformedTLS12(body: [UInt8]) {
        #expect(AcceptableIssuers(requestOfTLS12: body[...]) == nil)
    }

    @Test(
        "A malformed CertificateRequest of TLS 1.3 has no issuers",
        arguments: [
            // An empty list, an empty name, an overlong name, a byte after the list, two extensions, and a truncation.
            [0, 0, 6, 0, 47, 0, 2, 0, 0], [0, 0, 8, 0, 47, 0, 4, 0, 2, 0, 0], [0, 0, 9, 0, 47, 0, 5, 0, 3, 0, 2, 1],
            [0, 0, 10, 0, 47, 0, 6, 0, 3, 0, 1, 1, 1],
            [0, 0, 18, 0, 47, 0, 5, 0, 3, 0, 1, 1, 0, 47, 0, 5, 0, 3, 0, 1, 1], [0, 0, 9, 0, 47, 0, 5, 0, 3, 0], [],
            [0, 0],
        ] as [[UInt8]])
    func malformedTLS13(body: [UInt8]) {
        #expect(AcceptableIssuers(requestOfTLS13: body[...]) == nil)
    }

    @Test(
        "One malformed name makes the acceptable issuers unknown",
        arguments: [
            (names: [[0x30, 0]], count: 1), ([[0x30, 0], [5]], nil), ([[0x30, 0], [0x30, 1]], nil), ([], 0), (nil, nil),
        ] as [(names: [[UInt8]]?, count: Int?)])
    func malformedName(names: [[UInt8]]?, count: Int?) {
        let request = ClientCertificateRequest(IdentityRequest(issuers: names.flatMap { Self.issuers($0) }))
        #expect(request.acceptableIssuers?.count == count)
    }

    // MARK: Secrets

    @Test(
        "Only the server's handshake traffic secret is taken from the key log",
        arguments: [
            (line: "SERVER_HANDSHAKE_TRAFFIC_SECRET ab 00ff\n", isRead: true),
            ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab 00FF", true),
            ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab 00f", false), ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab 00fg", false),
            ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab " + String(repeating: "0", count: 98), false),
            ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab", false), ("SERVER_HANDSHAKE_TRAFFIC_SECRET ab 00ff 00ff", false),
            ("CLIENT_HANDSHAKE_TRAFFIC_SECRET ab 00ff", false), ("CLIENT_RANDOM ab 00ff", false), ("", false),
        ])
    func keyLog(line: String, isRead: Bool) {
        let secret = HandshakeSecret(keyLogLine: Array(line.utf8))
        #expect((secret != nil) == isRead)
        #expect(secret.map { $0.key == SymmetricKey(data: [0, 0xFF] as [UInt8]) } ?? !isRead)
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("00ff") && !dumped.contains("255"))
    }

    // MARK: Random bytes

    @Test("Random changes of a flight do not trap the parser", arguments: 0..<40 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<50 {
            var flight =
                round.isMultiple(of: 2)
                ? FlightRecipe.tls12(naming: Self.lists[2], fragment: .random(in: 20...2000, using: &random))
                : FlightRecipe.tls13(0x1303, naming: Self.lists[2], fragment: .random(in: 20...2000, using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&flight, &random) }
            let findings = Self.read(flight, portion: .random(in: 1...3000, using: &random))
            #expect(findings.count <= 2)
        }
    }

    private static func mutate(_ flight: inout FlightRecipe, _ random: inout SplitMix64) {
        let part: WritableKeyPath<FlightRecipe, [UInt8]> =
            flight.rest.isEmpty || Bool.random(using: &random) ? \.start : \.rest
        guard let index = flight[keyPath: part].indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: flight[keyPath: part][index] = .random(in: 0...255, using: &random)
        case 1: flight[keyPath: part].removeSubrange(index...)
        case 2: flight[keyPath: part].remove(at: index)
        default: flight[keyPath: part].insert(.random(in: 0...255, using: &random), at: index)
        }
    }

    @Test("Random changes of encrypted messages do not trap the parser", arguments: 0..<20 as Range<UInt64>)
    func randomMessages(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            var messages =
                FlightRecipe.message(8, [0, 0]) + FlightRecipe.message(13, FlightRecipe.requestOfTLS13(Self.lists[2]))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                messages[.random(in: messages.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var sealer = RecordSealer(0x1301)
            let flight = FlightRecipe(
                start: FlightRecipe.tls13(0x1301, naming: [], fragment: 100).start, rest: sealer.seal(22, messages),
                keyLogLine: FlightRecipe.line(sealer.secret))
            #expect(Self.read(flight).count <= 2)
        }
    }
}

/// The "complete record" of the ServerHello and of the server's encrypted flight in RFC 8448 section 6.
private enum Trace {
    struct NotHexadecimal: Error {}

    static let serverHello = """
        160303005a0200005603033b50fdf1c3d572e40e68953e7fff4e2758459c59afa0582c0ea032874255fe6e00130100002e00330024001d\
        00206c2e50e865919a6b5a12dfaf918f92b442567b0f89bc54478c6921366658f062002b00020304
        """
    static let flight = """
        17030302166d0a7ac079b32a94aa68c4e2893e8bd0d3c185f549c236fbbce3d647f08f3c94a2bf424d8708883605ad8955f97718b0213d\
        ead13dfb23ebb8381da582756612bcb5a5d40847719fbe9f179bfae656f3ecfd59a4c0d35132ce418a7e46f6b6a60622f8a6c06b28d833\
        60163563be9c37f97eb902326924a72b3ed8c8381277d1581cab9c3715ac2401398467ad7ebfab3d0c3419e750104f7d62c5027901f2e4\
        cd4ca5b8071eb03d3c732d83215066dfc4d291d4c1ff3b8d7e4298f677d4d51dea1168d8f16cb27ba40266313a1fedf9e23cc77f765450\
        f9e96f05d08f3da245b14d4946f07ec81eed6d56f26bd574f0b7f7c7047037c16fce3b23754e662fad73e2b7213f6af296769c99a1d38e\
        6232e0ec8dc4f84d6aa6f7de3887be0057862f9018e0ab396705aa4090ab5f2dff6325a557e7320d4effd46bb4f997d163207cce666529\
        4aa4465541e3fe37ee7350659ea550d6dcb6af3c518852c7a14c3cc15bc32b3273bdf1751da184203135b117d300204fb12d58ca9ac34b\
        68eca27030832f7a4b46d2a55757f63fe8f6e85ac47469e6198da88a64586bf23c69590de822263be75fd836847240c48f8c145cd6bd69\
        8962e7edc234ebe59231351eef8d7652cf3b08ab3af6e5ec74c58a8da34b39f9b0d6c4279a9a1f82071729e7059dd7f7b95b9433c4684c\
        e1891a6d33432d52eddb0b8cee9181d403eccc12991f1ad4aa62c36049713a7bb135fdda6661a05a93f8c16f
        """

    static func bytes(_ text: String) throws -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text[...])
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw NotHexadecimal() }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
