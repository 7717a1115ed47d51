// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Requests whose `Host` field differs from the host of their URL.
@Suite struct HostFieldTests {
    /// Starts a server that records the hosts of its requests, and redirects them if there is a location.
    private static func serve(
        _ hosts: NIOLockedValueBox<[String]>, location: String? = nil
    ) async throws -> ScriptedServer {
        try await ScriptedServer.start { request in
            hosts.withLockedValue { $0.append(request.head.authority ?? "") }
            guard let location else { return .init(.ok) }
            return .init(.found, [.location: location])
        }
    }

    @Test(
        "The field is sent as given",
        arguments: [("b.test", nil), ("b.test", 8080), ("::1", nil), ("::1", 80)] as [(String, Int?)])
    func field(host: String, port: Int?) async throws {
        let hosts = NIOLockedValueBox<[String]>([])
        let server = try await Self.serve(hosts)
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(server.port)/")
            #expect(try await session.send(request.host(HostName(host), port: port)).status == .ok)
        }
        let name = host == "::1" ? "[::1]" : host
        #expect(hosts.withLockedValue { $0 } == [name + (port.map { ":\($0)" } ?? "")])
    }

    @Test("A redirect to the same host keeps the field, and one to another host drops it", arguments: [true, false])
    func redirect(isSameHost: Bool) async throws {
        let hosts = NIOLockedValueBox<[String]>([])
        let destination = try await Self.serve(hosts)
        let place = (isSameHost ? "localhost" : "127.0.0.1") + ":\(destination.port)"
        let origin = try await Self.serve(hosts, location: "http://\(place)/")
        try await withSession(HTTPSession.Configuration(), stopping: [origin, destination]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(origin.port)/").host(try HostName("b.test"))
            #expect(try await session.send(request).status == .ok)
        }
        #expect(hosts.withLockedValue { $0 } == ["b.test", isSameHost ? "b.test" : place])
    }

    @Test("A forwarding proxy gets the host of the URL") func proxy() async throws {
        let hosts = NIOLockedValueBox<[String]>([])
        let origin = try await Self.serve(hosts)
        let proxy = try await ScriptedServer.startProxy(behind: nil)
        let configuration = HTTPSession.Configuration(proxy: try Proxy("localhost:\(proxy.port)"))
        try await withSession(configuration, stopping: [origin, proxy]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(origin.port)/").host(try HostName("b.test"))
            #expect(try await session.send(request).status == .ok)
        }
        #expect(hosts.withLockedValue { $0 } == ["localhost:\(origin.port)"])
    }
}
