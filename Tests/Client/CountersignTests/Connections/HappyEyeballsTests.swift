// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestServer
import Testing

@testable import Countersign
@testable import HTTPTransport

/// Connecting to several addresses of one name (RFC 8305), over loopback sockets.
@Suite struct HappyEyeballsTests {
    /// A listening socket whose queue is full, so that a connection attempt gets no answer.
    private final class FullListener: Sendable {
        let listener: any Channel
        let address: SocketAddress
        private let queued: NIOLockedValueBox<[any Channel]>

        init(host: String) async throws {
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 1)
                .serverChannelOption(.autoRead, value: false)
                .bind(host: host, port: 0).get()
            address = try #require(listener.localAddress)
            queued = NIOLockedValueBox([])
            var isFull = false
            for _ in 0..<32 where !isFull {
                do {
                    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connectTimeout(.milliseconds(300)).connect(to: address).get()
                    queued.withLockedValue { $0.append(channel) }
                } catch {
                    isFull = true
                }
            }
            try #require(isFull, "this system never fills a queue")
        }

        func close() async {
            for channel in queued.withLockedValue({ $0 }) { try? await channel.close() }
            try? await listener.close()
        }
    }

    /// A resolver with fixed results.
    private struct Addresses: Resolver, Sendable {
        let v4: [SocketAddress]
        let v6: [SocketAddress]
        private let loop = MultiThreadedEventLoopGroup.singleton.next()

        init(v4: [SocketAddress], v6: [SocketAddress]) {
            (self.v4, self.v6) = (v4, v6)
        }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture(v4)
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture(v6)
        }

        func cancelQueries() {}
    }

    private func listen(_ host: String) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: host, port: 0).get()
    }

    private func opener(_ resolver: Addresses? = nil, timeout: Duration = .seconds(30)) -> ChannelOpener {
        ChannelOpener(group: MultiThreadedEventLoopGroup.singleton, timeout: timeout, resolver: resolver)
    }

    private func name(_ port: Int = 1, _ host: String = "a.test") throws -> ConnectTarget {
        .endpoint(HostEndpoint(host: try HostName(host), port: port))
    }

    /// `localhost` resolves to both addresses, but only one has a listener; the other refuses.
    @Test("The address that accepts the connection is used", arguments: ["127.0.0.1", "::1"])
    func family(address: String) async throws {
        let listener = try await listen(address)
        let port = try #require(listener.localAddress?.port)
        let (v4, v6) = (
            try SocketAddress(ipAddress: "127.0.0.1", port: port), try SocketAddress(ipAddress: "::1", port: port)
        )
        let channel = try await opener(Addresses(v4: [v4], v6: [v6])).open(try name(port)) { _ in }
        #expect(channel.remoteAddress?.ipAddress == address)
        try await channel.close()
        try await listener.close()
    }

    @Test(
        "localhost and the names below it have both addresses of the loopback interface (RFC 6761 section 6.3)",
        arguments: ["localhost", "a.localhost", "www.Lab.localhost."], ["127.0.0.1", "::1"])
    func localhost(host: String, address: String) async throws {
        let listener = try await listen(address)
        let port = try #require(listener.localAddress?.port)
        let channel = try await opener().open(try name(port, host)) { _ in }
        #expect(channel.remoteAddress?.port == port)
        try await channel.close()
        try await listener.close()
    }

    @Test("If one address family does not respond, the other is used (RFC 8305)", arguments: ["::1", "127.0.0.1"])
    func silentFamily(silent: String) async throws {
        let full = try await FullListener(host: silent)
        let listener = try await listen(silent == "::1" ? "127.0.0.1" : "::1")
        let address = try #require(listener.localAddress)
        let both = silent == "::1" ? (v4: address, v6: full.address) : (v4: full.address, v6: address)
        let clock = ContinuousClock()
        let start = clock.now
        let channel = try await opener(Addresses(v4: [both.v4], v6: [both.v6])).open(try name()) { _ in }
        let elapsed = clock.now - start
        #expect(channel.remoteAddress == address)
        // IPv6 is tried first, and IPv4 follows after 250 milliseconds (section 5).
        if silent == "::1" { #expect(elapsed >= .milliseconds(200)) }
        #expect(elapsed < .seconds(10))
        try await channel.close()
        try await listener.close()
        await full.close()
    }

    @Test("If no address responds, the connection times out and all attempts are closed")
    func timeout() async throws {
        let full = try await FullListener(host: "127.0.0.1")
        let attempts = NIOLockedValueBox<[any Channel]>([])
        let opener = opener(Addresses(v4: [full.address, full.address], v6: []), timeout: .milliseconds(600))
        do {
            _ = try await opener.open(try name()) { channel in attempts.withLockedValue { $0.append(channel) } }
            Issue.record("connected")
        } catch TransportError.cannotConnect(let endpoint, let reason) {
            #expect(endpoint.host.description == "a.test" && reason == .timedOut(after: .milliseconds(600)))
        }
        let channels = attempts.withLockedValue { $0 }
        #expect(!channels.isEmpty)
        // A cancelled connect closes all its attempts.
        for channel in channels { try await channel.closeFuture.get() }
        await full.close()
    }

    @Test("A request's connect timeout replaces the session's, and the error states it")
    func requestTimeout() async throws {
        let full = try await FullListener(host: "127.0.0.1")
        let port = try #require(full.address.port)
        try await withSession(HTTPSession.Configuration()) { session async throws in
            let error = await #expect(throws: SessionError.self) {
                _ = try await session.send(.get("http://127.0.0.1:\(port)/").connectTimeout(.milliseconds(600)))
            }
            guard case .connection(.cannotConnect(_, .timedOut(after: .milliseconds(600)))) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let message = "127.0.0.1:\(port) did not answer within the connect timeout of 600 milliseconds."
            #expect(error?.explanation.message == message)
        }
        await full.close()
    }

    @Test("Cancelling the task closes all attempts") func cancellation() async throws {
        let full = try await FullListener(host: "127.0.0.1")
        let attempts = NIOLockedValueBox<[any Channel]>([])
        let opener = opener(Addresses(v4: [full.address, full.address], v6: []))
        let destination = try name()
        let task = Task {
            try await opener.open(destination) { channel in attempts.withLockedValue { $0.append(channel) } }
        }
        #expect(await eventually { attempts.withLockedValue { !$0.isEmpty } })
        let clock = ContinuousClock()
        let start = clock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for channel in attempts.withLockedValue({ $0 }) { try await channel.closeFuture.get() }
        #expect(clock.now - start < .seconds(10))
        await full.close()
    }

    @Test(
        "A session connects over the IP version that its configuration allows",
        arguments: [
            (AddressFamily.any, "127.0.0.1", "127.0.0.1", nil), (.ipv4, "127.0.0.1", "127.0.0.1", nil),
            (.ipv6, "127.0.0.1", "127.0.0.1", .ipv6), (.ipv4, "[::1]", "::1", .ipv4), (.ipv6, "[::1]", "::1", nil),
            (.ipv4, "localhost", "127.0.0.1", nil),
        ] as [(AddressFamily, String, String, AddressFamily?)])
    func addressFamily(family: AddressFamily, host: String, address: String, missing: AddressFamily?) async throws {
        let server = try await TestServer.start(
            on: SocketAddress(ipAddress: address, port: 0),
            repeating: [.receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", "")])
        let url = "http://\(host):\(server.port)/"
        for isProxy in [false, true] {
            var configuration = HTTPSession.Configuration(proxy: isProxy ? try Proxy(url) : nil)
            configuration.addressFamily = family
            try await withSession(configuration) { session async throws in
                let request = SessionRequest.get(isProxy ? "http://a.test/" : url)
                guard let missing else {
                    #expect(try await session.send(request).status == 200)
                    return
                }
                let error = await #expect(throws: SessionError.self) { _ = try await session.send(request) }
                guard case .connection(.cannotConnect(let peer, .noAddress(missing))) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(peer.role == (isProxy ? .proxy : .origin))
            }
        }
        await server.stop()
    }

    @Test(
        "The addresses of the other IP version are passed over",
        arguments: [(AddressFamily.ipv4, "127.0.0.1"), (.ipv6, "::1")])
    func guarded(family: AddressFamily, address: String) async throws {
        let full = try await FullListener(host: address == "::1" ? "127.0.0.1" : "::1")
        let listener = try await listen(address)
        let own = try #require(listener.localAddress)
        let both = Addresses(
            v4: [address == "::1" ? full.address : own], v6: [address == "::1" ? own : full.address])
        let channel = try await opener(both, timeout: .seconds(30)).open(try name()) { channel in
            try channel.pipeline.syncOperations.addHandler(AddressGuard(family, allows: nil))
        }
        #expect(channel.remoteAddress == own)
        try await channel.close()
        try await listener.close()
        await full.close()
    }

    @Test("If all addresses are of the other IP version, the error states that") func otherFamily() async throws {
        let v4 = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let error = await #expect(throws: TransportError.self) {
            _ = try await opener(Addresses(v4: [v4, v4], v6: [])).open(try name()) { channel in
                try channel.pipeline.syncOperations.addHandler(AddressGuard(.ipv6, allows: nil))
            }
        }
        guard case .cannotConnect(_, .noAddress(.ipv6)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("If only the other IP version would be accepted, the error names the restriction")
    func refusedOver() async throws {
        let listener = try await listen("127.0.0.1")
        let port = try #require(listener.localAddress?.port)
        var configuration = HTTPSession.Configuration()
        configuration.addressFamily = .ipv6
        try await withSession(configuration) { session async throws in
            let error = await #expect(throws: SessionError.self) {
                _ = try await session.send(.get("http://localhost:\(port)/"))
            }
            #expect(error?.code == "connection.refused")
            #expect(error?.explanation.reason.contains("IPv6 only") == true)
        }
        try await listener.close()
    }

    @Test("If all addresses refuse the connection, the error states that") func refused() async throws {
        let listener = try await listen("127.0.0.1")
        let port = try #require(listener.localAddress?.port)
        try await listener.close()
        do {
            let channel = try await opener().open(try name(port, "localhost")) { _ in }
            try await channel.close()
        } catch TransportError.cannotConnect(_, let reason) {
            #expect(reason == .refused)
        }
    }
}
