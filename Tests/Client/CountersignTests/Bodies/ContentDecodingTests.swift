// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import ErrorExplanations
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import TestServer
import Testing

/// Content codings between a session and a server.
@Suite struct ContentDecodingTests {
    private static let accepted = ContentCoding.allCases.map(\.rawValue).joined(separator: ", ")
    private static let text = String(repeating: "What is told twice is told once. ", count: 3000)

    /// Sends one request to a server that gives the reply.
    static func exchange(
        _ reply: ScriptedServer.Reply, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:],
        change: (inout HTTPSession.Configuration) -> Void = { _ in }
    ) async throws -> (requestFields: HTTPFields, response: SessionResponse, body: [UInt8]) {
        let requestFields = NIOLockedValueBox(HTTPFields())
        let server = try await ScriptedServer.start { request in
            requestFields.withLockedValue { $0 = request.head.headerFields }
            return reply
        }
        var configuration = HTTPSession.Configuration()
        change(&configuration)
        return try await withSession(configuration, stopping: [server]) { session async throws in
            let request = SessionRequest(
                url: "http://127.0.0.1:\(server.port)/", method: method, headerFields: headerFields)
            let response = try await session.send(request)
            let body = try await response.body.collect(upTo: 64 << 20)
            return (requestFields.withLockedValue { $0 }, response, Array(body.readableBytesView))
        }
    }

    @Test(
        "A decoded body is delivered without Content-Encoding and Content-Length",
        arguments: ["gzip", "x-gzip", "GZip", "deflate", "gzip, deflate", "identity, gzip", " gzip ,,"])
    func decoded(field: String) async throws {
        let names = field.lowercased()
        var body = Array(Self.text.utf8)
        if names.contains("gzip") { body = try Deflated.gzip(body) }
        if names.contains("deflate") { body = try Deflated.zlib(body) }
        let (requestFields, response, decoded) = try await Self.exchange(
            .init(.ok, [.contentEncoding: field], body: body))
        #expect(requestFields[.acceptEncoding] == Self.accepted)
        #expect(String(decoding: decoded, as: UTF8.self) == Self.text)
        #expect(response.headerFields[.contentEncoding] == nil)
        #expect(response.headerFields[.contentLength] == nil)
        #expect(
            response.body.codings
                == (field == "deflate" ? [.deflate] : field == "gzip, deflate" ? [.gzip, .deflate] : [.gzip]))
    }

    /// A reason for which a response is delivered without decoding.
    enum Reason: CaseIterable, Sendable {
        case noCoding, oldNoCoding, unknownButAskedFor, unknownButTurnedOff, askedForByTheUser, turnedOff, part
        case notModified, head
    }

    @Test("A body that is not decoded keeps its fields", arguments: Reason.allCases)
    func notDecoded(reason: Reason) async throws {
        let coded = try Deflated.gzip(Array(Self.text.utf8))
        let fieldValues: [Reason: String] = [
            .noCoding: "identity", .oldNoCoding: "none", .unknownButAskedFor: "exi",
            .unknownButTurnedOff: "gzip, zstd",
        ]
        let field = fieldValues[reason] ?? "gzip"
        let status: HTTPResponse.Status =
            reason == .part ? .partialContent : reason == .notModified ? .notModified : .ok
        var fields = HTTPFields()
        let accepted: [Reason: String] = [.askedForByTheUser: "gzip", .unknownButAskedFor: "exi", .part: "identity"]
        if reason != .part { fields[.acceptEncoding] = accepted[reason] }
        if reason == .part { fields[.range] = "bytes=0-9" }
        let (requestFields, response, body) = try await Self.exchange(
            .init(status, [.contentEncoding: field], body: reason == .notModified ? [] : coded),
            method: reason == .head ? .head : .get, headerFields: fields
        ) { $0.decodesContent = ![.turnedOff, .unknownButTurnedOff].contains(reason) }
        #expect(response.headerFields[.contentEncoding] == field)
        #expect(response.body.codings.isEmpty)
        #expect(body == (reason == .head || reason == .notModified ? [] : coded))
        let isTurnedOff = [.turnedOff, .unknownButTurnedOff].contains(reason)
        #expect(requestFields[.acceptEncoding] == (isTurnedOff ? nil : accepted[reason] ?? Self.accepted))
    }

    @Test(
        "Reading a body in an unknown coding fails with the coding's name",
        arguments: ["exi", "gzip, EXI", "compress", "utf-8"])
    func unknownCoding(field: String) async throws {
        let error = await #expect(throws: SessionError.self) {
            _ = try await Self.exchange(.init(.ok, [.contentEncoding: field], body: "raw"))
        }
        guard case .body(.unknownContentCoding(_, let name)) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(name == (field == "gzip, EXI" ? "exi" : field))
        #expect(error?.explanation.code == "body.unknown-content-coding")
        // Without a body, the unknown coding does not matter.
        let (_, response, body) = try await Self.exchange(.init(.ok, [.contentEncoding: field], body: [UInt8]()))
        #expect(response.status == .ok)
        #expect(body.isEmpty)
    }

    @Test("An empty body with Content-Encoding is delivered as empty") func emptyBody() async throws {
        let (_, response, body) = try await Self.exchange(.init(.ok, [.contentEncoding: "gzip"], body: [UInt8]()))
        #expect(response.status == .ok)
        #expect(body.isEmpty)
    }

    /// Returns the reason of the error for a malformed content coding, or `nil` without an error.
    static func malformed(_ body: [UInt8], _ field: String) async throws -> BodyError.MalformedContentCoding? {
        do {
            _ = try await exchange(.init(.ok, [.contentEncoding: field], body: body))
            return nil
        } catch SessionError.body(.malformedContentCoding(_, let reason)) {
            return reason
        }
    }

    @Test("A malformed body is refused with the reason") func malformed() async throws {
        let coded = try Deflated.gzip(Array(Self.text.utf8))
        #expect(try await Self.malformed(Array("<html>".utf8), "gzip") == .data)
        #expect(try await Self.malformed(coded.dropLast(8) + [0, 0, 0, 0] + coded.suffix(4), "gzip") == .data)
        #expect(try await Self.malformed(coded.dropLast(), "gzip") == .truncated)
        let trailing = coded + [UInt8](repeating: 0, count: 1 << 20)
        #expect(try await Self.malformed(trailing, "gzip") == .trailingData(limit: 64 * 1024))
        #expect(try await Self.malformed(coded, "gzip, gzip, gzip, gzip, gzip") == .tooMany(limit: 4))
        #expect(try await Self.malformed(coded, "gzip") == nil)
    }

    @Test("An exceeded expansion limit fails the body, and the next request succeeds") func bomb() async throws {
        let bomb = try Deflated.gzip([UInt8](repeating: 0, count: 10 << 20))
        let server = try await ScriptedServer.start { request in
            request.head.path == "/bomb" ? .init(.ok, [.contentEncoding: "gzip"], body: bomb) : .init(.ok, body: "fine")
        }
        var configuration = HTTPSession.Configuration()
        configuration.expansionLimit = ExpansionLimit(allowance: 4 << 20)
        try await withSession(configuration, stopping: [server]) { session async throws in
            let url = "http://127.0.0.1:\(server.port)"
            let response = try await session.get("\(url)/bomb")
            var (count, largest) = (0, 0)
            do {
                for try await part in response.body {
                    count += part.readableBytes
                    largest = max(largest, part.readableBytes)
                }
                Issue.record("delivered")
            } catch SessionError.limit(.expansionExceeded(_, let received, let decoded)) {
                #expect(received <= bomb.count)
                #expect(decoded > 4 << 20)
            }
            #expect(count <= 4 << 20)
            #expect(largest <= 64 * 1024)
            #expect(try await session.text("\(url)/").body == "fine")
        }
    }

    @Test("A body that arrives byte by byte is decoded") func byteByByte() async throws {
        let coded = try Deflated.gzip(Array("byte by byte".utf8))
        let chunks = coded.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
        let server = try await TestServer.start([
            [
                .receiveHead,
                .send(
                    "HTTP/1.1 200 OK", "Content-Encoding: gzip", "Transfer-Encoding: chunked", "Connection: close", ""),
                .sendInPieces(of: 6), .send(chunks), .send("0", ""),
            ]
        ])
        try await withSession(.init()) { session async throws in
            #expect(try await session.text(server.url()).body == "byte by byte")
        }
        await server.stop()
    }
}
