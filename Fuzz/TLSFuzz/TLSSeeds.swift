// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Identities
import NIOCore
import Secrets
import TLSTransport
import TLSRecipes

/// Handshakes with and without certificate request, staple, tickets, retry and renegotiation.
enum TLSSeeds {
    private static let variants: [ServerScript.Options] = {
        var full = ServerScript.Options()
        (full.staple, full.timestamps, full.ticketCount) = ([1, 2, 3], [0, 4, 0, 2, 7, 8], 2)
        (full.requestsCertificate, full.applicationProtocol) = (true, "h2")
        var request = ServerScript.Options()
        request.requestsCertificate = true
        var retry = ServerScript.Options()
        retry.group = 23
        return [ServerScript.Options(), full, request, retry]
    }()

    static let all: [[UInt8]] =
        variants.enumerated().flatMap { number, options in
            [
                input([.isTLS13, .offersHTTP2, .presentsIdentity], portion: UInt8(number), .tls13(options)),
                input([.isTLS13, .offersHTTP2, .answersLate, .resumes], portion: 99, .tls13(options)),
                input([.offersHTTP2, .presentsIdentity, .answersLate], portion: UInt8(number), .tls12(options)),
                input([.offersOneVersion, .offersHTTP2, .resumes], portion: 99, .tls12(options)),
            ]
        } + [
            input([.answersLate], portion: 40, .tls12(renegotiates: true)),
            input([.isTLS13], portion: 0, .tls13(), .message(24, [1]), .keys(.update), .record(23, [2])),
            input([.isTLS13], portion: 7, .tls13(), .record(21, [1, 0])),
            input([], portion: 7, .tls12(), .record(21, [1, 0])),
        ]

    private static func input(
        _ options: TLSInput.Options, portion: UInt8, _ script: ServerScript, _ more: ServerScript.Step...
    ) -> [UInt8] {
        [options.rawValue, portion, 255] + (script.steps + more).flatMap { TLSChunk($0).bytes }
    }

    /// Returns the client's identity, whose key is elsewhere if the library can use such a key.
    static func identity(for library: TLSLibrary) -> TLSIdentity {
        let chain = [ScriptedTLSServer.certificate]
        return switch library {
        case .boringSSL: TLSIdentity(chain: chain, signer: TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] })
        case .openSSL: TLSIdentity(chain: chain, key: Secret(utf8: Array(ScriptedTLSServer.key.derRepresentation)))
        }
    }

    /// The sessions of each library, which the server does not resume, by whether they are of TLS 1.3.
    static let sessions: [TLSLibrary: [Bool: TLSSession]] = {
        let libraries = TLSLibrary.allCases.filter(\.isAvailable)
        return Dictionary(
            uniqueKeysWithValues: libraries.map { library in
                let scripts: [Bool: ServerScript] = [true: .tls13(variants[1]), false: .tls12(variants[1])]
                return (library, scripts.compactMapValues { session($0, library) })
            })
    }()

    private static func session(_ script: ServerScript, _ library: TLSLibrary) -> TLSSession? {
        let settings = TLSClientSettings(serverName: "a.test", applicationProtocols: ["h2"], library: library)
        guard let client = try? TLSEngine(settings) else { return nil }
        let server = ScriptedTLSServer(script)
        var session: TLSSession?
        while true {
            while let event = client.next() {
                switch event {
                case .verificationRequested: client.approveServer()
                case .identityRequested: client.use(nil)
                case .sessionReceived(let received): session = received
                default: break
                }
            }
            if let output = client.takeOutput() { server.receive(output.readableBytesView) }
            let input = server.takeOutput()
            guard !input.isEmpty else { return session }
            client.receive(ByteBuffer(bytes: input))
        }
    }
}
