// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Foundation
import Identities
import Testing
import X509

extension NamespaceTests {
    @Suite struct TrustTests {
        @Test("A peer with a certificate from another authority is rejected on either side")
        func otherAuthority() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let stranger = try CertificateAuthority(name: "Other CA", now: Date())
                try lab.write(identity: try stranger.issue(.client(name: "gate-a"), now: Date()), "stranger.pem")
                try lab.write(try CertificateFile.pem([stranger.root]), "other.pem")
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")

                let intruder = try lab.up("--identity", lab.path("stranger.pem"))
                try await listener.line(with: "\"refused\"")
                try await intruder.line(with: "\"retrying\"")
                await intruder.end()

                let deceived = try lab.start(
                    .gateA,
                    ["up", PublicNetwork.gateB, "--identity", lab.path("me.pem"), "--ca", lab.path("other.pem")])
                #expect(try await deceived.line(with: "\"retrying\"").contains("trust."))
                #expect(!deceived.text.contains("\"joined\"") && !listener.text.contains("\"joined\""))
                await deceived.end()
                await listener.end()
            }
        }

        @Test("Revoking a certificate terminates the running tunnel")
        func revocation() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let me = try lab.authority.issue(.client(name: "gate-a"), now: Date())
                try lab.write(identity: me, "me.pem")
                try lab.write(try lab.authority.revocationList(of: [], number: 1, now: Date()), "list.crl")
                let listener = try lab.listen("--crl", lab.path("list.crl"), "--recheck", "1")
                try await listener.line(with: "\"started\"")
                let up = try lab.up()
                try await up.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                let revoked = RevokedCertificate(serialNumber: me.certificate.serialNumber, date: Date())
                try lab.write(try lab.authority.revocationList(of: [revoked], number: 2, now: Date()), "list.crl")
                #expect(try await listener.line(with: "\"refused\"").contains("revoked"))
                try await up.line(with: "\"left\"")
                #expect(try await network.ping() == 0)
                #expect(try await !network.run(.gateB, "ip -br link").text.contains("etun"))
                await up.end()
                await listener.end()
            }
        }

        @Test("An expired certificate terminates the running tunnel, also on the connecting side")
        func expiry() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (start, end) = (Date().addingTimeInterval(-60), Date().addingTimeInterval(5))
                try lab.write(
                    identity: try lab.authority.issue(
                        .server(names: [PublicNetwork.gateB], validity: .between(start, and: end)), now: start),
                    "hub.pem")
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")
                let up = try lab.up("--recheck", "1")
                try await up.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                #expect(try await up.line(with: "\"retrying\"").contains("expired"))
                #expect(try await network.ping() == 0)
                await up.end()
                await listener.end()
            }
        }

        @Test("Removing a pin from its file terminates the running tunnel")
        func pins() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let hub = try Identity.read(Array(Data(contentsOf: URL(filePath: lab.path("hub.pem")))))
                let other = try lab.authority.issue(.server(names: ["other.test"]), now: Date())
                try lab.write(Array("\(Pin(of: hub.certificate))\n".utf8), "pins")
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")
                let up = try lab.up("--recheck", "1", "--pins", lab.path("pins"))
                try await up.line(with: "\"joined\"")
                try lab.write(Array("\(Pin(of: other.certificate))\n".utf8), "pins")
                try await up.line(with: "\"retrying\"")
                #expect(try await network.ping() == 0)
                await up.end()
                await listener.end()
            }
        }
    }
}
