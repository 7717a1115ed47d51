// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import Foundation
    import Glibc
    import Testing

    @testable import WireGuardProtocol

    @Suite(.enabled(if: WireGuardGo.missing == nil, Comment(rawValue: WireGuardGo.missing ?? "")))
    struct WireGuardGoTests {
        private static let presharedKey = [UInt8](repeating: 0x5A, count: 32)

        /// Runs a test with both ends of a tunnel, and terminates wireguard-go.
        private func withTunnel(
            presharedKeys: ([UInt8]?, [UInt8]?), isInitiator: Bool, handshakesPerSecond: Int = 200,
            _ body: (WireGuardGo, TunnelEnd) throws -> Void
        ) throws {
            let unixTime = Duration.seconds(time(nil))
            let device = WireGuardDevice(
                privateKey: .init(), now: .now, unixTime: unixTime, handshakesPerSecond: handshakesPerSecond)
            let peer = try WireGuardGo(
                peer: device.publicKey, presharedKey: presharedKeys.1, knowsEndpoint: !isInitiator)
            defer { peer.stop() }
            let end = try TunnelEnd(
                device: device, to: peer, presharedKey: presharedKeys.0, knowsEndpoint: isInitiator)
            try body(peer, end)
        }

        @Test("The device as initiator can ping wireguard-go, also across renewals", arguments: [nil, presharedKey])
        func initiator(presharedKey: [UInt8]?) throws {
            try withTunnel(presharedKeys: (presharedKey, presharedKey), isInitiator: true) { peer, end in
                for (number, bytes) in [0, 56, 1_000, 1_392].enumerated() {
                    end.ping(bytes: bytes)
                    #expect(end.run(for: .seconds(10)) { end.repliesReceived == number + 1 }, "\(bytes) bytes")
                }
                #expect(end.types.filter { $0 == 2 }.count == 1)
                for renewal in 1...3 {
                    // wireguard-go answers initiations that are at least 20 ms apart.
                    usleep(30_000)
                    end.skew += .seconds(121)
                    // The first ping starts the renewal, and the others continue meanwhile.
                    for _ in 0..<5 {
                        let before = end.repliesReceived
                        end.ping(bytes: 100)
                        #expect(end.run(for: .seconds(10)) { end.repliesReceived > before })
                    }
                    let events = [WireGuardEvent](repeating: .established(peer.publicKey), count: renewal + 1)
                    #expect(end.run(for: .seconds(10)) { end.events == events })
                    end.ping(bytes: 100)
                    #expect(end.run(for: .seconds(10)) { end.repliesReceived == 4 + renewal * 6 })
                }
            }
        }

        @Test("The device as responder answers pings of wireguard-go", arguments: [nil, presharedKey])
        func responder(presharedKey: [UInt8]?) throws {
            try withTunnel(presharedKeys: (presharedKey, presharedKey), isInitiator: false) { peer, end in
                for bytes in [0, 56, 1_392] {
                    let ping = try peer.ping(count: 3, bytes: bytes)
                    #expect(end.run(for: .seconds(20)) { !ping.isRunning })
                    ping.waitUntilExit()
                    #expect(ping.terminationStatus == 0, "\(bytes) bytes")
                }
                #expect(end.events.last == .established(peer.publicKey) && end.types.first == 1)
                // The session carries data in both directions, and this end renews it once wireguard-go has nothing to
                // send.
                end.skew += .seconds(181)
                end.ping(bytes: 10)
                #expect(end.run(for: .seconds(10)) { end.repliesReceived == 1 })
                #expect(end.types.filter { $0 == 2 }.count == 1)
            }
        }

        @Test("Different preshared keys prevent a session with wireguard-go") func differentKeys() throws {
            try withTunnel(presharedKeys: (Self.presharedKey, nil), isInitiator: true) { _, end in
                end.ping(bytes: 0)
                #expect(end.run(for: .seconds(5)) { !end.receipts.isEmpty })
                #expect(end.receipts == [.refused(.notAuthentic)] && end.events.isEmpty)
            }
        }

        @Test("Under load the device sends wireguard-go a cookie, and answers an initiation with it") func ourCookie()
            throws
        {
            try withTunnel(presharedKeys: (nil, nil), isInitiator: false, handshakesPerSecond: 0) { peer, end in
                let ping = try peer.ping(count: 1, bytes: 0)
                #expect(end.run(for: .seconds(20)) { end.receipts.contains(.handshake) })
                #expect(end.receipts.first == .refused(.cookieRequired))
                #expect(end.run(for: .seconds(10)) { !ping.isRunning })
                ping.waitUntilExit()
                #expect(ping.terminationStatus == 0 && end.events.last == .established(peer.publicKey))
            }
        }

        @Test("Under load wireguard-go sends a cookie, and answers an initiation of the device with it")
        func theirCookie() throws {
            try withTunnel(presharedKeys: (nil, nil), isInitiator: true) { peer, end in
                var authenticator = MessageAuthenticator(publicKey: peer.publicKey)
                var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
                var forgery = MessageKind.initiation.prefix
                while forgery.count < 116 { forgery += (random.next() as UInt64).littleEndianBytes }
                authenticator.sign(&forgery, now: 0)
                let other = try peer.socket(port: 40_000)
                defer { close(other) }
                // Each message costs wireguard-go a key agreement, so its queue fills up; the genuine initiation is in
                // the middle.
                func flood() { for _ in 0..<200 { end.send(forgery, from: other) } }
                func initiate() {
                    flood()
                    end.device.startHandshake(with: peer.publicKey, now: end.now)
                    _ = end.run(for: .zero) { true }
                    flood()
                }
                for _ in 0..<10 where end.types.last != 3 {
                    end.skew += .seconds(6)
                    initiate()
                    _ = end.run(for: .milliseconds(500)) { end.types.last == 3 }
                }
                #expect(end.types.last == 3 && end.receipts.last == .handshake)
                let before = end.types.count
                for _ in 0..<10 where end.types.count == before {
                    end.skew += .seconds(6)
                    initiate()
                    _ = end.run(for: .milliseconds(500)) { end.types.count > before }
                }
                // There is a response, and no second cookie.
                #expect(end.types.dropFirst(before) == [2] && end.receipts.last == .handshake)
                end.ping(bytes: 10)
                #expect(end.run(for: .seconds(5)) { end.repliesReceived == 1 })
            }
        }
    }
#endif
