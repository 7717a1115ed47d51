// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import Identities
import NIOHTTP1
import Testing
import X509

@testable import ChallengeLab

@Suite("The addresses on which a lab listens") struct ReachTests {
    @Test(
        "With a network address, the lab also uses the computer's name",
        arguments: [
            ("127.0.0.1", false, false), ("::1", false, false), ("192.0.2.7", true, false),
            ("2001:db8::7", true, false),
            ("0.0.0.0", true, true), ("::", true, true),
        ])
    func reach(address: String, isNetwork: Bool, isEverywhere: Bool) throws {
        let reach = try #require(LabReach(try HostName(address)))
        #expect(reach.isNetwork == isNetwork)
        #expect(reach.isEverywhere == isEverywhere)
        #expect(reach.names.contains(address) == (isNetwork && !isEverywhere))
        #expect(isNetwork || reach.names.isEmpty)
        #expect(!reach.names.contains { $0.hasPrefix("127.") } || address.hasPrefix("127."))
    }

    @Test("A name is not accepted as an address") func name() throws {
        #expect(LabReach(try HostName("localhost")) == nil)
    }

    @Test("An address that the computer does not have is named in the error") func foreignAddress() async throws {
        let reach = try #require(LabReach(try HostName("192.0.2.7")))
        await #expect(throws: LabError.cannotListen("192.0.2.7", code: EADDRNOTAVAIL)) {
            try await Lab.start([.plainHTTP], reachedAt: reach)
        }
    }

    @Test("On all addresses, certificates include the network's names, and proxies stay on loopback")
    func everywhere() async throws {
        let reach = try #require(LabReach(try HostName("0.0.0.0")))
        let lab = try await Lab.start([.plainHTTP, .goodHTTPS, .nameConstraintsMet, .proxyOpen], reachedAt: reach)
        let certificates = try LabCertificates(now: Date(), reach: reach)
        for identity in [certificates.good, try certificates.server()] {
            let names = try #require(try identity.certificate.extensions.subjectAlternativeNames)
            #expect(Array(names) == (["localhost", "127.0.0.1", "::1"] + reach.names).map(GeneralName.init(host:)))
        }
        #if os(Linux)
            // All addresses of 127.0.0.0/8 belong to this computer,
            // and a socket on 0.0.0.0 accepts connections to them.
            #expect(await RawConnection.isOpen(lab[.plainHTTP].port, at: "127.0.0.2"))
            #expect(await !RawConnection.isOpen(lab[.proxyOpen].port, at: "127.0.0.2"))
        #endif
        #expect(await RawConnection.isOpen(lab[.proxyOpen].port, at: "127.0.0.1"))
        try await lab.stop()
    }

    @Test("The catalogue and redirects use the request's host if it belongs to the lab") func hosts()
        async throws
    {
        let directory = LabDirectory(names: ["lab.local", "192.0.2.7", "2001:db8::7"])
        directory.fill(with: [LabServer(kind: .goodHTTPS, port: 8443), LabServer(kind: .proxyOpen, port: 8080)])
        for (host, expected) in [
            ("lab.local:80", "lab.local"), ("LAB.local", "lab.local"), ("192.0.2.7", "192.0.2.7"),
            ("[2001:db8::7]:80", "[2001:db8::7]"), ("evil.example", "localhost"), ("\"><script>", "localhost"),
        ] {
            let request = try LabRequest(
                .init(version: .http1_1, method: .GET, uri: "/", headers: ["host": host]), isSecure: false)
            #expect(directory.url(.goodHTTPS, "/x", for: request) == "https://\(expected):8443/x")
            #expect(directory.servers(for: request).last?.url == "http://localhost:8080")
        }
    }
}
