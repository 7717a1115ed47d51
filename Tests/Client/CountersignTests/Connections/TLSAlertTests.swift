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
}
