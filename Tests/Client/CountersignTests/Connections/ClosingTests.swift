// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Countersign
import NIOSSL
import TestServer
import Testing
@testable import ChallengeLab
import EssentialFoundation

/// The closure of TLS connections (RFC 8446 section 6.1).
@Suite struct ClosingTests {
    @Test("A session closes without waiting for a server that does not answer close_notify")
    func silentServer() async throws {
        let authority = try CertificateAuthority(name: "Closing Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let server = try await TestServer.start(
            tls: NIOSSLContext(configuration: LabTLS.configuration(presenting: identity)),
            [[.receiveHead, .send("HTTP/1.1 204 No Content", ""), .stall]])
        try await server.stop { () async throws in
            let session = HTTPSession(trust: TrustPolicy(anchors: .only([authority.certificate])))
            #expect(try await session.get("https://localhost:\(server.port)/").status == .noContent)
            let duration = await ContinuousClock().measure { await session.close() }
            // NIOSSL's timeout for close_notify is five seconds.
            #expect(duration < .seconds(5))
        }
    }
}
