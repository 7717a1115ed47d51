// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOCore
import Testing

/// Requests that are built in one expression.
@Suite struct RequestBuildingTests {
    @Test("A request that is built in one expression contains each part once") func chained() throws {
        let request = try SessionRequest.post("https://api.example/items")
            .header(.accept, "application/json").header(.acceptLanguage, "de").header(.acceptLanguage, nil)
            .query(["q": "swift", "tag": "a"]).json(["name": "bolt"])
            .basic(user: "mary", password: Secret("pw")).trust(TrustPolicy(anchors: .only([])))
        #expect(request.method == .post)
        #expect(request.url == "https://api.example/items?q=swift&tag=a")
        #expect(
            request.headerFields == [
                .accept: "application/json", .contentType: "application/json", .contentLength: "15",
            ])
        #expect(request.body?.contentType == "application/json")
        #expect(request.credential == .password(user: "mary", password: Secret("pw")))
        #expect(request.preemptiveMethod == .basic)
        #expect(request.trust == TrustPolicy(anchors: .only([])))
    }

    @Test("A token is sent preemptively, and a credential only after a challenge") func preemptive() {
        let token = SessionRequest.get("http://a.example/").bearer(Secret("t"))
        #expect(token.preemptiveMethod == .bearer)
        #expect(token.credential == .token(Secret("t")))
        #expect(token.credential(.currentUser()).preemptiveMethod == nil)
    }

    /// The rules are those of RFC 3986 sections 2.1, 2.3 and 3.4.
    @Test(
        "Query items are percent-encoded (RFC 3986 sections 2 and 3.4)",
        arguments: [
            ("http://a.example/", "q", "a b", "http://a.example/?q=a%20b"),
            ("http://a.example/?x=1", "q", "1+1=2", "http://a.example/?x=1&q=1%2B1%3D2"),
            ("http://a.example/?", "q", "1", "http://a.example/?q=1"),
            ("http://a.example/?x=1&", "q", "1", "http://a.example/?x=1&q=1"),
            ("http://a.example/?x=1#top", "q", "1", "http://a.example/?x=1&q=1#top"),
            ("http://a.example/#what?ever", "q", "1", "http://a.example/?q=1#what?ever"),
            ("http://a.example", "q", "1", "http://a.example?q=1"),
            ("http://a.example/", "ü&", "~-._*", "http://a.example/?%C3%BC%26=~-._%2A"),
            ("http://a.example/", "q", "a/b?c#d%", "http://a.example/?q=a%2Fb%3Fc%23d%25"),
            ("http://a.example/", "q", "\r\n\0", "http://a.example/?q=%0D%0A%00"),
            ("http://a.example/", "q", "", "http://a.example/?q="),
            ("http://a.example/", "q", nil, "http://a.example/?q"),
        ] as [(String, String, String?, String)])
    func query(url: String, name: String, value: String?, expected: String) {
        #expect(SessionRequest.get(url).query(name, value).url == expected)
    }

    @Test("Query items keep their order, and a name may be repeated") func queryOrder() {
        let request = SessionRequest.get("http://a.example/?z=0").query(["b": "1", "a": "2", "b": "3"]).query("a", "4")
        #expect(request.url == "http://a.example/?z=0&b=1&a=2&b=3&a=4")
    }

    @Test(
        "A body has its content type",
        arguments: [
            (SessionRequestBody.text("ü"), "text/plain; charset=utf-8", "ü"),
            (.form(["a b": "1+1", "a b": "~*é"]), "application/x-www-form-urlencoded", "a+b=1%2B1&a+b=%7E*%C3%A9"),
            (.bytes([0x41]), nil, "A"),
            (.bytes([0x41]).type("image/png"), "image/png", "A"),
            (.text("{}").type("application/ld+json"), "application/ld+json", "{}"),
        ] as [(SessionRequestBody, String?, String)])
    func bodyTypes(body: SessionRequestBody, type: String?, content: String) async throws {
        #expect(body.contentType == type)
        #expect(String(buffer: try await body.collect(upTo: 100)) == content)
    }

    @Test("The header fields include those of the body, and follow its changes") func derivedFields() throws {
        var request = SessionRequest.post("http://a.example/").body(.text("four")).header(.accept, "*/*")
        #expect(
            request.headerFields
                == [.accept: "*/*", .contentType: "text/plain; charset=utf-8", .contentLength: "4"])
        request.headerFields[.acceptLanguage] = "de"
        request.body = .bytes([1])
        #expect(request.headerFields == [.accept: "*/*", .acceptLanguage: "de", .contentLength: "1"])
        request.body = .stream { AsyncStream<ByteBuffer> { $0.finish() } }
        #expect(request.headerFields == [.accept: "*/*", .acceptLanguage: "de"])
        request = request.header(.contentType, "text/markdown").body(.text("four"))
        #expect(request.headerFields[values: .contentType] == ["text/markdown"])
        request.body = nil
        #expect(request.headerFields == [.accept: "*/*", .acceptLanguage: "de", .contentType: "text/markdown"])
    }

    @Test("A collected body has a size limit") func collectLimit() async throws {
        let parts = AsyncStream<ByteBuffer> { next in
            next.yield(ByteBuffer(string: "four"))
            next.yield(ByteBuffer(string: "more"))
            next.finish()
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await SessionRequestBody.oneShot(parts).collect(upTo: 7)
        }
        guard case .limit(.bodyTooLarge(limit: 7)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
