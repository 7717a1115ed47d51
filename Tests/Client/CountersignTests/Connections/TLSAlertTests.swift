// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TestServer
import Testing

@testable import Countersign
@testable import HTTPTransport

@Suite struct TLSAlertTests {
    @Test("An alert in the handshake has a name, even if BoringSSL has none for it", .timeLimit(.minutes(2)))
    func alerts() async throws {
        var others: [UInt8] = []
        for code in UInt8.min...UInt8.max {
            let alert: [TestServer.Behavior] = [.receive(5), .send([0x15, 3, 3, 0, 2, 2, code]), .close]
            try await TestServer.with([alert]) { server async throws in
                try await withSession(HTTPSession.Configuration()) { session async throws in
                    do {
                        _ = try await session.get("https://127.0.0.1:\(server.port)/")
                        Issue.record("alert \(code) was ignored")
                    } catch SessionError.tls(.handshakeFailed(_, let reason)) {
                        #expect(
                            !reason.isEmpty && reason.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" },
                            "\(code): \(reason)")
                    } catch is SessionError {
                        others.append(code)
                    }
                }
            }
        }
        // certificate_required and no_application_protocol have dedicated cases of SessionError.
        #expect(others == [116, 120])
    }

    @Test(
        "A reason without a name is converted to a name",
        arguments: [
            ("error:100004cb:SSL routines:OPENSSL_internal:reason(1123) at tls_record.cc:592", "ALERT_123"),
            ("error:100001c8:SSL routines:OPENSSL_internal:reason(456) at a.cc:1", "REASON_456"),
            ("error:100001c8:SSL routines:OPENSSL_internal:", "UNKNOWN"),
            ("handshakeFailed(NIOSSL.BoringSSLError.sslError([]))", "UNKNOWN"),
            (
                "error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE at a.cc:1",
                "SSLV3_ALERT_HANDSHAKE_FAILURE"
            ),
        ])
    func names(text: String, name: String) {
        struct Described: Error, CustomStringConvertible { let description: String }
        #expect(TLSFailureReason(Described(description: text)).name == name)
    }
}
