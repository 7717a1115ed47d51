// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import TestServer
import Testing

@Suite struct TLSAlertTests {
    @Test("An alert in the handshake is in the error", .timeLimit(.minutes(2)))
    func alerts() async throws {
        var others: [UInt8] = []
        for code in UInt8.min...UInt8.max {
            let alert: [TestServer.Behavior] = [.receive(5), .send([0x15, 3, 3, 0, 2, 2, code]), .close]
            try await TestServer.with([alert]) { server async throws in
                try await withSession(HTTPSession.Configuration()) { session async throws in
                    do {
                        _ = try await session.get("https://127.0.0.1:\(server.port)/")
                        Issue.record("alert \(code) was ignored")
                    } catch SessionError.tls(.alertReceived(_, let alert, _)) {
                        #expect(alert.rawValue == code)
                    } catch is SessionError {
                        others.append(code)
                    }
                }
            }
        }
        // close_notify is the end of the connection; certificate_required and no_application_protocol have dedicated
        // cases of SessionError.
        #expect(others == [0, 116, 120])
    }

    @Test(
        "A server that answers with an old version needs the leniency",
        arguments: TLSLibrary.allCases.filter(\.isAvailable))
    func oldVersion(library: TLSLibrary) async throws {
        // A ServerHello of TLS 1.1 with TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA (RFC 4346 section 7.4.1.3).
        let hello: [UInt8] = [2, 0, 0, 38, 3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0xc0, 0x13, 0]
        let answer: [TestServer.Behavior] = [
            .receive(5), .send([0x16, 3, 2, 0, UInt8(hello.count)] + hello), .close,
        ]
        try await TestServer.with([answer]) { server async throws in
            var configuration = HTTPSession.Configuration()
            configuration.policies.fallback.tlsLibrary = library == .openSSL ? .openSSL : .boringSSL
            try await withSession(configuration) { session async throws in
                do {
                    _ = try await session.get("https://127.0.0.1:\(server.port)/")
                    Issue.record("an old version was accepted")
                } catch SessionError.tls(.handshakeFailed(_, let reason, let alternative)) {
                    #expect(reason == "UNSUPPORTED_PROTOCOL")
                    #expect(alternative == .legacyTLS)
                }
            }
        }
    }
}
