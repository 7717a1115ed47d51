// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Testing

@testable import CountersignCommand

@Suite struct PeerWordsTests {
    private static func peer(_ role: SessionError.Peer.Role) throws -> SessionError.Peer {
        SessionError.Peer(Endpoint(host: try HostName("a.test"), port: 443), role: role)
    }

    @Test(
        "A TLS failure without a name is told in a sentence",
        arguments: [
            ("", "The TLS handshake with a.test:443 failed, and neither side gave a reason."),
            ("UNKNOWN", "The TLS handshake with a.test:443 failed, and neither side gave a reason."),
            ("ALERT_123", "a.test:443 ended the TLS handshake with alert 123, which has no name."),
            ("UNSUPPORTED_PROTOCOL", "The TLS handshake with a.test:443 failed: UNSUPPORTED_PROTOCOL."),
        ])
    func handshakes(reason: String, message: String) throws {
        let failure = Failure(session: .handshakeFailed(try Self.peer(.origin), reason))
        #expect(failure.message == message)
        #expect(!failure.advice.isEmpty)
    }

    @Test("A message about a proxy begins with a capital letter and says that it is one")
    func proxies() throws {
        let proxy = try Self.peer(.proxy)
        let errors: [SessionError] = [
            .cannotResolve(proxy), .cannotConnect(proxy, .refused), .cannotConnect(proxy, .timedOut),
            .connectionLost(proxy, .handshake), .notTLS(proxy), .handshakeFailed(proxy, "ALERT_123"),
            .handshakeFailed(proxy, "UNSUPPORTED_PROTOCOL"), .malformedCertificate(proxy),
            .renegotiationRequired(proxy),
            .malformedResponse(proxy, .statusLine), .headTooLarge(proxy, limit: 1), .timedOut(proxy, .response),
            .timedOut(proxy, .total), .truncatedBody(proxy, received: 1, expected: 2), .plainHTTPForbidden(proxy),
            .httpVersionNotOffered(proxy, .onlyHTTP1), .malformedSOCKS(proxy.endpoint, .excess),
        ]
        for error in errors {
            let message = Failure(session: error).message
            #expect(message.lowercased().contains("the proxy a.test:443"), "\(message)")
            #expect(message.first?.isUppercase == true, "\(message)")
        }
    }
}
