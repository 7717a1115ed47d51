// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
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

    /// The client's identity, whose key is elsewhere.
    static let identity = TLSIdentity(
        chain: [ScriptedTLSServer.certificate], signer: TLSSigner(schemes: [.ecdsaP256SHA256]) { _, _ in [] })

    /// Returns a session, which the server does not resume.
    static func session(isTLS13: Bool) -> TLSSession? { isTLS13 ? session13 : session12 }

    private static let session13 = session(.tls13(variants[1]))
    private static let session12 = session(.tls12(variants[1]))

    private static func session(_ script: ServerScript) -> TLSSession? {
        guard let client = try? TLSEngine(TLSClientSettings(serverName: "a.test", applicationProtocols: ["h2"])) else {
            return nil
        }
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
