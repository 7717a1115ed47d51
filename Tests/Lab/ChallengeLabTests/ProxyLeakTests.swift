// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// Tests that a proxy closes its connections to origins when clients close theirs, at any time.
@Suite struct ProxyLeakTests {
    enum ProxyKind: CaseIterable {
        case forward
        case tunnel
        case socks

        func start() async throws -> ScriptedServer {
            switch self {
            case .forward, .tunnel: try await .startProxy(behind: nil)
            case .socks: try await .startSOCKS()
            }
        }

        /// Returns the bytes with which a client connects to a loopback port through the proxy.
        func opening(to port: Int) -> ByteBuffer {
            switch self {
            case .forward: ByteBuffer(string: "GET http://localhost:\(port)/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
            case .tunnel: ByteBuffer(string: "CONNECT localhost:\(port) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // The client's messages are defined in RFC 1928 sections 3 and 4.
            case .socks:
                ByteBuffer(
                    bytes: [5, 1, 0] + [5, 1, 0, 3, 9] + Array("localhost".utf8)
                        + [UInt8(port >> 8), UInt8(port & 0xFF)])
            }
        }
    }

    @Test(
        "A client that disconnects while the proxy connects to the origin leaves no connection open",
        arguments: ProxyKind.allCases)
    func earlyClose(kind: ProxyKind) async throws {
        let origin = try await ScriptedServer.start { _ in .init(.ok) }
        let proxy = try await kind.start()
        for turn in 0..<60 {
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: proxy.port).get()
            try await client.writeAndFlush(kind.opening(to: origin.port)).get()
            // The delay covers the time until the origin is connected.
            try await Task.sleep(for: .microseconds(20 * turn))
            try await client.close().get()
        }
        // A connection that was closed before the proxy accepted it may not be counted.
        #expect(await Self.eventually { proxy.connectionCount > 30 }, "\(proxy.connectionCount) accepted")
        #expect(await Self.eventually { proxy.openConnectionCount == 0 }, "\(proxy.openConnectionCount) here")
        #expect(await Self.eventually { origin.openConnectionCount == 0 }, "\(origin.openConnectionCount) there")
        await proxy.stop()
        await origin.stop()
    }

    private static func eventually(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return condition()
    }
}
