// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import NIOCore
import Testing

/// Each row must end in time, with the expected error, few bytes read, a usable session and no open connection.
@Suite struct FaultTableTests {
    /// The maximum duration of a row, far above the usual duration.
    private static let timeout = Duration.seconds(60)

    @Test(
        "A faulty HTTP/1.1 response leads to its error, in time, and the session continues", .timeLimit(.minutes(2)),
        arguments: FaultRow.ofHTTP1.filter { !$0.timesOut })
    func http1(row: FaultRow) async throws { try await Self.run(row) }

    @Test(
        "A faulty HTTP/2 response leads to its error, in time, and the session continues", .timeLimit(.minutes(2)),
        arguments: FaultRow.ofHTTP2.filter { !$0.timesOut })
    func http2(row: FaultRow) async throws { try await Self.run(row) }

    /// The rows run in parallel in one test, because they mostly wait for a timeout.
    @Test("A silent server leads to the timeout's error, in time, and the session continues", .timeLimit(.minutes(2)))
    func silence() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for row in FaultRow.ofHTTP1 + FaultRow.ofHTTP2 where row.timesOut {
                group.addTask { try await Self.run(row) }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "A faulty content coding leads to its error, in time, and the session continues", .timeLimit(.minutes(2)),
        arguments: FaultRow.ofCodings)
    func codings(row: FaultRow) async throws { try await Self.run(row) }

    static func run(_ row: FaultRow) async throws {
        let name = row.testDescription
        let scene = try await FaultScene.started
        // Faults that replace the TLS handshake are sent without TLS.
        let identity = row.usesTLS && [.request, .stream].contains(row.fault.cue) ? scene.identity : nil
        let server = try await FaultServer.start(row.fault, presenting: identity, on: scene.group)
        var configuration = scene.configuration
        configuration.idleTimeout = .seconds(30)
        row.change(&configuration)
        try await withSession(configuration) { session async throws in
            let start = ContinuousClock.now
            let found = await FaultRow.Outcome(of: row.limiting(row.request(server.port)), over: session)
            #expect(row.matches(found), "\(name): \(found)")
            #expect(ContinuousClock.now - start < Self.timeout, "\(name)")
            server.respondCorrectly()
            // A connection with a fault is closed even if the fault caused no error.
            if !row.keepsConnection {
                #expect(
                    await eventually { server.openConnectionCount == 0 },
                    "\(name): \(server.openConnectionCount) left open")
            }
            #expect(server.sentByteCount <= row.maximumSentBytes, "\(name): \(server.sentByteCount) bytes taken")
            #expect(try await scene.expectGood(session, "https://localhost:\(scene.good.port)/"), "\(name)")
            let again = SessionRequest(url: row.request(server.port).url)
            // A server without TLS cannot answer the second request over TLS.
            if row.usesTLS == (identity != nil) {
                #expect(await FaultRow.Outcome(of: again, over: session) == .body("good"), "\(name)")
            }
        }
        #expect(
            await eventually { server.openConnectionCount == 0 }, "\(name): \(server.openConnectionCount) left open")
        await server.stop()
    }
}
