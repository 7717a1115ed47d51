// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

/// A type with the single required method of ``RequestSender`` has all its convenience methods.
@Suite struct StandInTests {
    struct Bolt: Codable, Equatable, Sendable {
        var name: String
        var size: Int
    }

    /// Stands for an application's code, which takes any client.
    private func order(_ bolt: Bolt, from client: some RequestSender) async throws -> Bolt {
        try await client.post("https://shop.example/bolts", json: bolt, as: Bolt.self)
    }

    @Test("Code that takes a client can be tested without a network") func valueRoundTrip() async throws {
        let shop = StandIn { request in
            let body = try await request.body?.collect(upTo: 1000) ?? ByteBuffer()
            return try SessionResponse(
                to: request, status: .created, headerFields: [.contentType: "application/json"], body: .bytes(body))
        }
        #expect(try await order(Bolt(name: "M4", size: 4), from: shop) == Bolt(name: "M4", size: 4))
        #expect(shop.last?.method == .post)
        #expect(
            shop.last?.headerFields
                == [.accept: "application/json", .contentType: "application/json", .contentLength: "22"])
    }

    @Test("Any client has the convenience methods") func existential() async throws {
        let client: any RequestSender = StandIn(text: "{\"name\":\"M4\",\"size\":4}")
        #expect(try await client.get("https://shop.example/bolts/4", as: Bolt.self).size == 4)
        #expect(try await client.get("https://shop.example/bolts/4").text().contains("M4"))
    }

    @Test("Each verb is sent with its method and body") func verbs() async throws {
        let client = StandIn(text: "")
        let url = "http://a.example/"
        _ = try await client.get(url)
        _ = try await client.head(url)
        _ = try await client.post(url, body: .text("x"))
        _ = try await client.put(url, body: .text("x"))
        _ = try await client.patch(url, body: .text("x"))
        _ = try await client.delete(url)
        let requests = client.requests.withLockedValue { $0 }
        #expect(requests.map(\.method) == [.get, .head, .post, .put, .patch, .delete])
        #expect(requests.map { $0.body?.length } == [nil, nil, 1, 1, 1, nil])
    }

    @Test("Each verb with a JSON response is sent with its method, value and coders") func jsonVerbs() async throws {
        let client = StandIn(text: #"{"thread_pitch":0.7}"#)
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let (text, pitch) = ("http://a.example/", Pitch(threadPitch: 0.7))
        let url = try #require(URL(string: text))
        let values = [
            try await client.get(text, as: Pitch.self, decoder: decoder),
            try await client.post(text, json: pitch, as: Pitch.self, encoder: encoder, decoder: decoder),
            try await client.send(.put(text).json(pitch, encoder: encoder), as: Pitch.self, decoder: decoder),
            try await client.send(.patch(text).json(pitch, encoder: encoder), as: Pitch.self, decoder: decoder),
            try await client.send(.delete(text), as: Pitch.self, decoder: decoder),
            try await client.get(url, as: Pitch.self, decoder: decoder),
            try await client.post(url, json: pitch, as: Pitch.self, encoder: encoder, decoder: decoder),
            try await client.send(.put(url).json(pitch, encoder: encoder), as: Pitch.self, decoder: decoder),
            try await client.send(.patch(url).json(pitch, encoder: encoder), as: Pitch.self, decoder: decoder),
            try await client.send(.delete(url), as: Pitch.self, decoder: decoder),
        ]
        #expect(values == Array(repeating: pitch, count: 10))
        let requests = client.requests.withLockedValue { $0 }
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
        #expect(requests.map(\.method) == methods + methods)
        #expect(requests.allSatisfy { $0.url == text && $0.headerFields[.accept] == "application/json" })
        for request in requests where request.body != nil {
            #expect(
                String(buffer: try await request.body?.collect(upTo: 100) ?? ByteBuffer()) == #"{"thread_pitch":0.7}"#)
            #expect(request.headerFields[.contentType] == "application/json")
        }
        #expect(requests.map { $0.body == nil } == [true, false, false, false, true, true, false, false, false, true])
    }

    struct Pitch: Codable, Equatable, Sendable {
        var threadPitch: Double
    }

    @Test("The request's own Accept field is preserved") func ownAccept() async throws {
        let client = StandIn(text: "1")
        _ = try await client.send(.get("http://a.example/").header(.accept, "application/hal+json"), as: Int.self)
        #expect(client.last?.headerFields[.accept] == "application/hal+json")
    }

    @Test("A stand-in client throws the errors of a session") func unsupportedScheme() async throws {
        let error = await #expect(throws: SessionError.self) { _ = try await StandIn(text: "").get("ftp://a.example/") }
        guard case .request(.unsupportedScheme("ftp")) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A streamed body is delivered in its parts") func stream() async throws {
        let parts = AsyncStream<ByteBuffer> { next in
            for word in ["one", "two"] { next.yield(ByteBuffer(string: word)) }
            next.finish()
        }
        let client = StandIn { try SessionResponse(to: $0, body: .stream(parts)) }
        var received: [String] = []
        for try await part in try await client.get("http://a.example/").body { received.append(String(buffer: part)) }
        #expect(received == ["one", "two"])
    }
}
