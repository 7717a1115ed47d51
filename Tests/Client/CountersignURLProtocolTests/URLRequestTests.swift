// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import Foundation
import HTTPTypes
import NIOCore
import TestServer
import Testing

@testable import CountersignURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests of Foundation that a session sends.
@Suite struct URLRequestTests {
    private static func request(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://a.example/x?q=%20#top")))
        change(&request)
        return request
    }

    @Test("The URL, the method, the fields and the body are carried over") func parts() async throws {
        let request = try SessionRequest(
            try Self.request {
                $0.httpMethod = "PROPFIND"
                $0.setValue("1", forHTTPHeaderField: "X-B")
                $0.setValue("a", forHTTPHeaderField: "X-A")
                $0.addValue("b", forHTTPHeaderField: "X-A")
                $0.httpBody = Data("four".utf8)
            })
        #expect(request.url == "http://a.example/x?q=%20#top")
        #expect(request.method.rawValue == "PROPFIND")
        #expect(
            request.headerFields.map { "\($0.name.rawName): \($0.value)" } == [
                "X-A: a,b", "X-B: 1", "Content-Length: 4",
            ])
        #expect(String(buffer: try await request.body?.collect(upTo: 10) ?? ByteBuffer()) == "four")
        let plain = try SessionRequest(try Self.request())
        #expect(plain.method == .get && plain.body == nil && plain.headerFields.isEmpty)
    }

    @Test(
        "A timeout interval other than Foundation's default is the idle timeout",
        arguments: [
            (60, nil), (0, nil), (-1, nil), (.nan, nil), (20, .seconds(20)), (0.5, .milliseconds(500)),
            (.infinity, .seconds(1_000_000_000)), (.greatestFiniteMagnitude, .seconds(1_000_000_000)),
        ] as [(TimeInterval, Duration?)])
    func timeout(interval: TimeInterval, expected: Duration?) throws {
        let request = try SessionRequest(try Self.request { $0.timeoutInterval = interval })
        #expect(request.idleTimeout == expected)
        #expect(request.totalTimeout == nil && request.attemptTimeout == nil && request.connectTimeout == nil)
    }

    @Test("A request that cannot be sent is refused") func refusals() throws {
        func code(_ change: (inout URLRequest) -> Void) throws -> String? {
            let request = try Self.request(change)
            return #expect(throws: SessionError.self) { _ = try SessionRequest(request) }?.code
        }
        #expect(try code { $0.url = nil } == "request.invalid-url")
        #expect(try code { $0.httpMethod = "GE T" } == "request.invalid-token")
        #expect(try code { $0.setValue("x", forHTTPHeaderField: "X Y") } == "request.invalid-token")
    }

    @Test("A body stream is sent once, with the length of its field", arguments: [nil, 200_000])
    func stream(length: Int?) async throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let script: TestConnection.Script = { connection in
            let request = try await connection.request()
            let framing = length.map { "\r\ncontent-length: \($0)" } ?? "\r\ntransfer-encoding: chunked"
            #expect(request.head.lowercased().contains(framing))
            #expect(length == nil ? request.body.count > bytes.count : request.body == bytes)
            try await connection.send("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", "")
        }
        let second: TestConnection.Script = { connection in _ = try? await connection.request() }
        try await TestServer.with([[.script(script)], [.script(second)]]) { server in
            var upload = URLRequest(url: try #require(URL(string: server.url())))
            upload.httpMethod = "POST"
            upload.httpBodyStream = InputStream(data: Data(bytes))
            if let length { upload.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
            let request = try SessionRequest(upload)
            let session = HTTPSession()
            #expect(try await session.send(request).status == .ok)
            let error = await #expect(throws: SessionError.self) { _ = try await session.send(request) }
            #expect(["body.not-repeatable", "body.used-up"].contains(error?.code))
            await session.close()
        }
    }
}
