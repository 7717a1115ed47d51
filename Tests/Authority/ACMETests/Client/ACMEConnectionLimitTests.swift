// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOEmbedded
import Testing

@testable import ACMEClients

@Suite struct ACMEConnectionLimitTests {
    private func connected() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    @Test("A connection is closed after its maximum lifetime") func lifetime() throws {
        let channel = try connected()
        ConnectionLimit(lifetime: .seconds(20), maximumCount: 2).apply(to: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(19))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A connection beyond the limit is closed at once, until another connection ends") func count() throws {
        let limit = ConnectionLimit(maximumCount: 2)
        let channels = try (1...4).map { _ in try connected() }
        for channel in channels.prefix(3) { limit.apply(to: channel) }
        #expect(channels.map(\.isActive) == [true, true, false, true])
        try channels[0].close().wait()
        for channel in channels { channel.embeddedEventLoop.run() }
        limit.apply(to: channels[3])
        #expect(channels.map(\.isActive) == [false, true, false, true])
    }
}
