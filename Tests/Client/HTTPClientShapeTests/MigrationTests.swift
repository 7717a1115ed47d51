// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Foundation
import HTTPClientShape
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Testing

/// Programs for AsyncHTTPClient 1.37.0, of which only the imports and the URLs were changed.
@Suite("Programs written for AsyncHTTPClient") struct MigrationTests {
    @Test("A GET request with a collected body runs unchanged") func get() async throws {
        try await withServer { _ in
            ScriptedServer.Reply(.ok, body: "<html>")
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            do {
                let request = HTTPClientRequest(url: url)
                let response = try await httpClient.execute(request, timeout: .seconds(30))
                if response.status == .ok {
                    let body = try await response.body.collect(upTo: 1024 * 1024)  // 1 MB
                    #expect(String(buffer: body) == "<html>")
                } else {
                    Issue.record("\(response)")
                }
            } catch {
                Issue.record("request failed: \(error)")
            }
            try await httpClient.shutdown()
        }
    }

    @Test("A POST request with fields and a body runs unchanged") func post() async throws {
        let seen = NIOLockedValueBox<ScriptedServer.Request?>(nil)
        try await withServer { request in
            seen.withLockedValue { $0 = request }
            return ScriptedServer.Reply(.created, [.location: "/1"])
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "User-Agent", value: "Swift HTTPClient")
            request.body = .bytes(ByteBuffer(string: "some data"))

            let response = try await httpClient.execute(request, timeout: .seconds(30))
            #expect(response.status == .created)
            #expect(response.headers.first(name: "location") == "/1")
            try await httpClient.shutdown()
        }
        let request = try #require(seen.withLockedValue { $0 })
        #expect(request.head.method == .post)
        #expect(request.head.headerFields[values: .userAgent] == ["Swift HTTPClient"])
        #expect(String(decoding: request.body, as: UTF8.self) == "some data")
    }

    @Test("Counting the bytes of an arriving body runs unchanged") func counting() async throws {
        let size = 3 << 20
        try await withServer { _ in
            ScriptedServer.Reply(.ok, body: [UInt8](repeating: 1, count: size))
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            let request = HTTPClientRequest(url: url)
            let response = try await httpClient.execute(request, timeout: .seconds(30))
            // if defined, the content-length headers announces the size of the body
            let expectedBytes = response.headers.first(name: "content-length").flatMap(Int.init)

            var receivedBytes = 0
            for try await buffer in response.body {
                receivedBytes += buffer.readableBytes
                if let expectedBytes {
                    #expect(Double(receivedBytes) / Double(expectedBytes) <= 1)
                }
            }
            #expect(receivedBytes == size && expectedBytes == size)
            try await httpClient.shutdown()
        }
    }

    struct Comic: Codable {
        var num: Int
        var title: String
    }

    @Test("Decoding a value from JSON runs unchanged") func json() async throws {
        try await withServer { _ in
            ScriptedServer.Reply(.ok, body: #"{"num":1,"title":"Barrel","day":"1"}"#)
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            let response = try await httpClient.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            let body = try await response.body.collect(upTo: 1024 * 1024)
            let comic = try JSONDecoder().decode(Comic.self, from: Data(body.readableBytesView))
            #expect(comic.title == "Barrel")
            try await httpClient.shutdown()
        }
    }

    @Test(
        "Redirects are followed as configured",
        arguments: [
            (HTTPClient.Configuration(redirectConfiguration: .disallow), 302),
            (HTTPClient.Configuration(redirectConfiguration: .follow(max: 3, allowCycles: false)), 200),
            (HTTPClient.Configuration(timeout: .init(connect: .seconds(30), read: .seconds(30))), 200),
            (HTTPClient.Configuration(), 200),
        ] as [(HTTPClient.Configuration, UInt)])
    func redirects(configuration: HTTPClient.Configuration, status: UInt) async throws {
        try await withServer { request in
            request.head.path == "/"
                ? ScriptedServer.Reply(.found, [.location: "/there"]) : ScriptedServer.Reply(.ok)
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let response = try await httpClient.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            #expect(response.status.code == status)
            #expect(response.url?.path == (status == 200 ? "/there" : "/"))
            try await httpClient.shutdown()
        }
    }

    @Test("Streaming a body runs unchanged") func streaming() async throws {
        let bodies = NIOLockedValueBox<[String]>([])
        try await withServer { request in
            bodies.withLockedValue { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return ScriptedServer.Reply(.ok)
        } _: { url in
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            var request = HTTPClientRequest(url: url)
            request.method = .PUT
            let buffers = AsyncStream<ByteBuffer> { next in
                for word in ["one", "two"] { next.yield(ByteBuffer(string: word)) }
                next.finish()
            }
            request.body = .stream(buffers, length: .known(Int64(6)))
            _ = try await httpClient.execute(request, deadline: .now() + .seconds(30))
            let bytes = AsyncStream<UInt8> { next in
                for byte in "bytes".utf8 { next.yield(byte) }
                next.finish()
            }
            request.body = .stream(bytes, length: .unknown)
            _ = try await httpClient.execute(request, deadline: .now() + .seconds(30))
            try await httpClient.shutdown()
        }
        #expect(bodies.withLockedValue { $0 } == ["onetwo", "bytes"])
    }
}

/// Calls a closure with the URL of a server, and stops the server afterwards.
func withServer(
    _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply,
    _ body: (String) async throws -> Void
) async throws {
    let server = try await ScriptedServer.start(reply)
    do {
        try await body("http://localhost:\(server.port)/")
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}
