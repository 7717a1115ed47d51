// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if ServiceLifecycleSupport
    import ChallengeLab
    import Countersign
    import Logging
    import NIOCore
    import ServiceLifecycle
    import Testing

    @Suite struct ServiceTests {
        /// A service that sends a request, begins the shutdown of its group, and then reads the response.
        private struct User: Service {
            let session: HTTPSession
            let url: String
            let shutDown: @Sendable () async -> Void
            let received: @Sendable (Int) -> Void

            func run() async throws {
                let response = try await session.get(url)
                await shutDown()
                try await gracefulShutdown()
                received(try await response.body.collect(upTo: 16 << 20).readableBytes)
            }
        }

        @Test("A session in a group stays open for the services after it, and is closed with the group")
        func group() async throws {
            let length = 16 << 20
            let server = try await ScriptedServer.start { _ in .init(.ok, body: [UInt8](repeating: 7, count: length)) }
            let url = "http://localhost:\(server.port)/"
            let session = HTTPSession()
            let (lengths, continuation) = AsyncStream.makeStream(of: Int.self)
            let (starts, starting) = AsyncStream.makeStream(of: Void.self)
            let user = User(session: session, url: url) {
                starting.yield()
            } received: {
                continuation.yield($0)
            }
            let group = ServiceGroup(services: [session, user], logger: Logger(label: "test"))
            async let running: Void = group.run()
            for await _ in starts { break }
            await group.triggerGracefulShutdown()
            try await running
            continuation.finish()
            #expect(await lengths.reduce(into: []) { $0.append($1) } == [length])
            await #expect(throws: SessionError.self) { try await session.get(url) }
            await server.stop()
        }

        @Test("A session whose task is cancelled is closed") func cancelled() async throws {
            let session = HTTPSession()
            let task = Task { try await session.run() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await #expect(throws: SessionError.self) { try await session.get("http://localhost:1/") }
        }
    }
#endif
