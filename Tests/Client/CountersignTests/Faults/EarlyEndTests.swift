// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import NIOCore
import Testing

/// A response that ends after each of its bytes, by a close, by a close without close_notify or by a reset.
@Suite struct EarlyEndTests {
    /// The length of the response's head.
    private static let headSize = 73

    private static func expected(at position: Int, by termination: Fault.Termination) -> FaultRow.Outcome {
        if position >= Fault.completeResponse.count { return .body("good") }
        // A reset can discard bytes that the operating system has received but the client has not read.
        if termination == .reset { return .failsAs(["connection.lost.response", "body.truncated"]) }
        return .fails(position < headSize ? "connection.lost.response" : "body.truncated")
    }

    @Test(
        "A response that ends early is an error, wherever and however it ends", .timeLimit(.minutes(2)),
        arguments: [Fault.Termination.close, .cut, .reset], [false, true])
    func everyPosition(termination: Fault.Termination, usesTLS: Bool) async throws {
        let scene = try await FaultScene.started
        let server = try await FaultServer.start(.none, presenting: usesTLS ? scene.identity : nil, on: scene.group)
        var configuration = scene.configuration
        configuration.idleTimeout = .seconds(30)
        try await withSession(configuration) { session async throws in
            for position in 0...Fault.completeResponse.count {
                let fault = Fault.termination(at: position, by: termination)
                let row = FaultRow(
                    "at \(position)", fault, Self.expected(at: position, by: termination), usesTLS: usesTLS)
                server.change(to: fault)
                let found = await FaultRow.Outcome(of: row.request(server.port), over: session)
                // A reset can also discard the complete response.
                let isLost = termination == .reset && row.outcome == .body("good") && found != .body("good")
                #expect(row.matches(found) || isLost, "at \(position): \(found)")
            }
            server.respondCorrectly()
            #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
            let row = FaultRow("good", .none, .body("good"), usesTLS: usesTLS)
            #expect(await FaultRow.Outcome(of: row.request(server.port), over: session) == .body("good"))
        }
        #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
        await server.stop()
    }

    @Test("Flow control stops a server whose response is not read") func backpressure() async throws {
        let scene = try await FaultScene.started
        let server = try await FaultServer.start(.endlessChunks, on: scene.group)
        try await withSession(scene.configuration) { session async throws in
            let response = try await session.get("http://localhost:\(server.port)/")
            var last = -1
            // Flow control has stopped the server if the number of sent bytes does not change for a while.
            #expect(
                await eventually {
                    defer { last = server.sentByteCount }
                    return last == server.sentByteCount
                })
            #expect(server.sentByteCount < 16 << 20, "\(server.sentByteCount) bytes taken")
            #expect(server.openConnectionCount == 1)
            withExtendedLifetime(response) {}
        }
        #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
        await server.stop()
    }
}
