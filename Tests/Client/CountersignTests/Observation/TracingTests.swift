// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import Testing
import Tracing

@testable import Countersign

@Suite struct TracingTests {
    @Test("Each attempt is a span whose traceparent the server receives") func spans() async throws {
        let parents = NIOLockedValueBox<[String]>([])
        let inside = NIOLockedValueBox<[Int?]>([])
        let server = try await ScriptedServer.start { request in
            let fields = request.head.headerFields
            parents.withLockedValue { parents in
                parents.append(HTTPField.Name("traceparent").flatMap { fields[$0] } ?? "-")
            }
            if request.head.path?.hasPrefix("/moved") == true { return .init(.found, [.location: "/end"]) }
            guard fields[.authorization] != nil else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            return .init(.notFound)
        }
        let record = SpanRecord()
        let handler = ClosureHandler { _ in
            inside.withLockedValue { $0.append(ServiceContext.current?[SpanRecord.Number.self]) }
            return .use(.password(user: "u", password: Secret("hunter2")))
        }
        var configuration = HTTPSession.Configuration(handlers: [.basic: handler])
        configuration.tracer = record
        try await withSession(configuration, stopping: [server]) { session async throws in
            _ = try await session.text("http://localhost:\(server.port)/moved?key=hunter2&bare#hunter2")
            _ = try? await session.text("http://u:hunter2@localhost:1/")
        }
        #expect(parents.withLockedValue { $0 } == ["span-0", "span-1", "span-1"])
        #expect(inside.withLockedValue { $0 } == [1])
        let spans = record.spans
        #expect(spans.map(\.operationName) == ["GET", "GET", "GET"])
        #expect(spans.allSatisfy { $0.isEnded && $0.kind == .client })
        #expect(spans.map(\.hasFailed) == [false, true, true])
        let common = [
            "http.request.method": "GET", "server.address": "localhost", "server.port": "\(server.port)",
            "network.protocol.version": "1.1",
        ]
        #expect(
            spans.first?.conventionalTexts
                == common.merging([
                    "url.full": "http://localhost:\(server.port)/moved?key=REDACTED&REDACTED",
                    "http.response.status_code": "302",
                ]) { $1 })
        #expect(
            spans.dropFirst().first?.conventionalTexts
                == common.merging([
                    "url.full": "http://localhost:\(server.port)/end", "http.response.status_code": "404",
                    "error.type": "404", "http.request.resend_count": "1",
                ]) { $1 })
        #expect(spans.last?.texts["error.type"] == "connection.refused")
        #expect(spans.map { $0.texts["countersign.request.attempt"] } == ["1", "2", "1"])
        #expect(!spans.contains { "\($0.texts)".contains("hunter2") })
    }

    @Test("An unknown method has the conventional names, and its own in another attribute") func method() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok) }
        let record = SpanRecord()
        var configuration = HTTPSession.Configuration()
        configuration.tracer = record
        try await withSession(configuration, stopping: [server]) { session async throws in
            let method = try #require(HTTPRequest.Method("PROPFIND"))
            _ = try await session.send(SessionRequest(url: "http://localhost:\(server.port)/", method: method))
        }
        let span = try #require(record.spans.first)
        #expect(span.operationName == "HTTP")
        #expect(span.texts["http.request.method"] == "_OTHER")
        #expect(span.texts["http.request.method_original"] == "PROPFIND")
    }

    @Test("Each origin of a redirect receives the traceparent of its own span") func redirect() async throws {
        let parents = NIOLockedValueBox<[String]>([])
        let note: @Sendable (ScriptedServer.Request) -> Void = { request in
            let fields = request.head.headerFields
            parents.withLockedValue { parents in
                parents.append(HTTPField.Name("traceparent").flatMap { fields[$0] } ?? "-")
            }
        }
        let second = try await ScriptedServer.start { request in
            note(request)
            return .init(.ok)
        }
        let port = second.port
        let first = try await ScriptedServer.start { request in
            note(request)
            return .init(.found, [.location: "http://127.0.0.1:\(port)/"])
        }
        var configuration = HTTPSession.Configuration()
        configuration.tracer = SpanRecord()
        try await withSession(configuration, stopping: [first, second]) { session async throws in
            _ = try await session.text("http://localhost:\(first.port)/")
        }
        #expect(parents.withLockedValue { $0 } == ["span-0", "span-1"])
    }
}

extension RecordedSpan {
    /// The attributes without those of the session, which `EventTests` checks.
    fileprivate var conventionalTexts: [String: String] { texts.filter { !$0.key.hasPrefix("countersign.") } }
}
