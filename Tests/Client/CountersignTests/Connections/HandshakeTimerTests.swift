// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestServer
import Testing

@testable import Countersign
@testable import HTTPTransport

/// The timer ends the wait for a silent server and excludes the time of a handler.
@Suite struct HandshakeTimerTests {
    /// Returns a timer and the number of times that it has fired.
    private static func timer(_ limit: Duration) -> (timer: HandshakeTimer, isUp: NIOLockedValueBox<Int>) {
        let isUp = NIOLockedValueBox(0)
        return (HandshakeTimer(limit) { isUp.withLockedValue { $0 += 1 } }, isUp)
    }

    private static let loop = MultiThreadedEventLoopGroup.singleton.any()

    @Test("The timer fires once") func timer() async throws {
        let (timer, isUp) = Self.timer(.milliseconds(20))
        try await Self.loop.submit { _ = timer.start(on: Self.loop) }.get()
        #expect(await eventually { isUp.withLockedValue { $0 } == 1 })
        timer.resume()
        try await Self.loop.submit { _ = timer.start(on: Self.loop) }.get()
        try await Self.loop.scheduleTask(in: .milliseconds(60)) {}.futureResult.get()
        #expect(isUp.withLockedValue { $0 } == 1)
    }

    @Test("The timer does not fire while it is paused") func pause() async throws {
        let (timer, isUp) = Self.timer(.milliseconds(50))
        // The closure runs on the event loop, so that the timer cannot fire between its start and the pause.
        try await Self.loop.submit {
            timer.start(on: Self.loop)
            timer.pause()
        }.get()
        try await Self.loop.scheduleTask(in: .milliseconds(180)) {}.futureResult.get()
        #expect(isUp.withLockedValue { $0 } == 0)
        timer.resume()
        #expect(await eventually { isUp.withLockedValue { $0 } == 1 })
    }

    @Test("The timer does not fire after it was stopped") func end() async throws {
        let (timer, isUp) = Self.timer(.milliseconds(20))
        try await Self.loop.submit {
            timer.start(on: Self.loop)
            timer.end()
            timer.pause()
            timer.resume()
        }.get()
        try await Self.loop.scheduleTask(in: .milliseconds(60)) {}.futureResult.get()
        #expect(isUp.withLockedValue { $0 } == 0)
    }

    /// The server accepts the connection of a real socket and sends nothing.
    @Test("A server that does not answer the ClientHello times out") func silentServer() async throws {
        let server = try await TestServer.start([[.receiveRest]])
        var configuration = HTTPSession.Configuration()
        configuration.handshakeTimeout = .milliseconds(100)
        let session = HTTPSession(configuration)
        let url = "https://localhost:\(server.port)/"
        let failure = await #expect(throws: SessionError.self) { _ = try await session.text(url) }
        let isTheHandshakes = if case .limit(.timedOut(_, .handshake, _, _))? = failure { true } else { false }
        #expect(isTheHandshakes)
        await session.close()
        await server.stop()
    }
}
