// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import NIOCore
import Testing

@Suite struct FaultTests {
    @Test("A fault of a proxy is an error", arguments: [Fault.closed, .reset, .rubbishStatusLine, .shortBody])
    func faultyProxy(fault: Fault) async throws {
        try await withLab { lab async throws in
            let server = try await FaultServer.start(fault)
            let proxy = try Proxy("http://127.0.0.1:\(server.port)")
            try await withSession(lab, proxy: proxy, change: { $0.idleTimeout = .seconds(2) }) {
                session async throws in
                await #expect(throws: SessionError.self) { try await session.text(lab[.goodHTTPS].url) }
            }
            await server.stop()
        }
    }

    @Test("A refused connection is an error that names the endpoint") func refused() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                do {
                    // The system may reassign a port that was just closed, but never port 1.
                    _ = try await session.text("http://127.0.0.1:1/")
                    Issue.record("connected")
                } catch SessionError.connection(.cannotConnect(let endpoint, .refused)) {
                    #expect(endpoint.port == 1)
                }
            }
        }
    }

    @Test("A host that cannot be resolved is an error that names it") func unknownHost() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                do {
                    _ = try await session.text("http://nowhere.invalid/")
                    Issue.record("resolved")
                } catch SessionError.connection(.cannotResolve(let peer)) {
                    #expect(peer.description == "nowhere.invalid:80")
                }
            }
        }
    }

    @Test("A cancelled request ends, and the session continues") func cancellation() async throws {
        try await withLab { lab async throws in
            let server = try await FaultServer.start(.silence)
            try await withSession(lab) { session async throws in
                let request = Task { try await session.text("http://127.0.0.1:\(server.port)/") }
                try await Task.sleep(for: .milliseconds(100))
                request.cancel()
                await #expect(throws: CancellationError.self) { try await request.value }
                #expect(try await session.text(lab[.plainHTTP].url).status == 200)
            }
            await server.stop()
        }
    }

    @Test("A closed session sends no request") func closedSession() async throws {
        try await withLab { lab async throws in
            let session = HTTPSession()
            await session.close()
            await #expect(throws: SessionError.self) { try await session.get(lab[.plainHTTP].url) }
        }
    }

    @Test("Large bodies are received completely") func largeBodies() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                for path in ["/bytes/5000000", "/chunked/5000000", "/bytes/0"] {
                    let response = try await session.get(lab[.goodHTTPS].url(path))
                    var size = 0
                    for try await part in response.body { size += part.readableBytes }
                    #expect(size == Int(path.split(separator: "/").last ?? ""))
                }
            }
        }
    }
}
