// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import HTTPTypes
import NIOCore
import Testing

@testable import Countersign

@Suite("Evidence is fetched from the local network only for servers in the same network") struct EvidenceReachTests {
    @Test(
        "An address belongs to one address class",
        arguments: [
            ("192.0.2.1", AddressClass.global), ("8.8.8.8", .global), ("172.32.0.1", .global), ("100.128.0.1", .global),
            ("2001:db8::1", .global), ("2606:4700::1", .global), ("64:ff9b::808:808", .global),
            ("10.0.0.1", .privateUse), ("172.16.0.1", .privateUse), ("172.31.255.255", .privateUse),
            ("192.168.1.1", .privateUse), ("100.64.0.1", .privateUse), ("198.19.0.1", .privateUse),
            ("fd00::1", .privateUse), ("fec0::1", .privateUse), ("::ffff:10.0.0.1", .privateUse),
            ("::10.0.0.1", .privateUse), ("64:ff9b::10.0.0.1", .privateUse), ("64:ff9b:1::1", .privateUse),
            ("2002:a00:1::1", .privateUse),
            ("169.254.169.254", .linkLocal), ("fe80::1", .linkLocal), ("::ffff:169.254.169.254", .linkLocal),
            ("127.0.0.1", .loopback), ("127.255.0.1", .loopback), ("::1", .loopback), ("::ffff:127.0.0.1", .loopback),
            ("0.0.0.0", .unusable), ("0.1.2.3", .unusable), ("224.0.0.1", .unusable), ("255.255.255.255", .unusable),
            ("::", .unusable), ("ff02::1", .unusable), ("::ffff:0.0.0.0", .unusable),
        ])
    func classes(text: String, place: AddressClass) throws {
        let address = try SocketAddress(ipAddress: text, port: 80)
        #expect(EvidenceReach.place(of: address) == place)
        #expect(AddressClass([]) == .unusable)
    }

    @Test(
        "Only addresses whose packets stay on this machine are the loopback interface",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("localhost", true), ("a.localhost", true), ("::127.0.0.1", false), ("64:ff9b::127.0.0.1", false),
            ("2002:7f00:1::5", false), ("::ffff:10.0.0.1", false), ("::", false), ("::2", false),
            ("10.0.0.127", false), ("128.0.0.1", false), ("a.test", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try HostName(text).isLoopback == isLoopback)
    }

    @Test(
        "A URL is within reach if its address is global or of the server's address class",
        arguments: [
            (server: "192.0.2.1", place: "192.0.2.9", isReached: true), ("192.0.2.1", "10.0.0.1", false),
            ("192.0.2.1", "127.0.0.1", false), ("192.0.2.1", "169.254.169.254", false),
            ("10.0.0.1", "192.168.0.1", true), ("10.0.0.1", "192.0.2.9", true), ("10.0.0.1", "127.0.0.1", false),
            ("10.0.0.1", "169.254.169.254", false), ("127.0.0.1", "::1", true), ("127.0.0.1", "10.0.0.1", false),
            ("0.0.0.0", "0.0.0.0", false),
        ])
    func reach(server: String, place: String, isReached: Bool) throws {
        let host = try HostName("a.test")
        let (server, place) = (
            try SocketAddress(ipAddress: server, port: 443), try SocketAddress(ipAddress: place, port: 80)
        )
        #expect(EvidenceReach(under: TrustPolicy(), address: server, host: host).includes(place) == isReached)
        let allowed = TrustPolicy(localEvidence: .allowed)
        #expect(EvidenceReach(under: allowed, address: server, host: host).includes(place))
    }

    @Test("Behind a proxy, only the host in the URL is checked")
    func proxied() throws {
        let (name, address) = (try HostName("a.test"), try HostName("10.0.0.1"))
        let reach = EvidenceReach(under: TrustPolicy(), address: nil, host: name)
        #expect(reach.includes(name) && !reach.includes(address))
        for local in ["localhost", "a.localhost"] {
            let host = try HostName(local)
            #expect(!reach.includes(host))
        }
        #expect(EvidenceReach(under: TrustPolicy(), address: nil, host: address).includes(address))
    }

    @Test(
        "A connection to an address out of reach is not opened, whatever its host name",
        arguments: ["127.0.0.1", "localhost"])
    func connections(host: String) async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok) }
        let session = HTTPSession(fetchingEvidenceWith: HTTPSession.Configuration(), within: .matching(.global))
        await #expect(throws: AddressRefused.self) {
            try await session.send(SessionRequest(url: "http://\(host):\(server.port)/"))
        }
        #expect(server.connectionCount == 0)
        let local = HTTPSession(fetchingEvidenceWith: HTTPSession.Configuration(), within: .matching(.loopback))
        #expect(try await local.send(SessionRequest(url: "http://\(host):\(server.port)/")).status == .ok)
        await session.close()
        await local.close()
        await server.stop()
    }
}
