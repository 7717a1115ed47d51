// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPTypes
import NIOCore
import Testing

/// Reading responses as values or text, and the errors for unexpected responses.
@Suite struct ResponseReadingTests {
    private static let url = "http://a.example/x"

    /// The outcome of decoding a response, reduced to the parts that the tests compare.
    private enum Outcome: Equatable, Sendable {
        case value(Int)
        case unexpectedStatus(Int, String)
        case unexpectedContentType(String?)
        case undecodableBody(String)
        case other
    }

    private static func outcome(_ client: StandIn) async -> Outcome {
        do {
            return .value(try await client.get(url, as: Int.self, upTo: 10_000))
        } catch SessionError.response(.unexpectedStatus(let response)) {
            return .unexpectedStatus(response.status.code, response.text)
        } catch SessionError.response(.unexpectedContentType(let response)) {
            return .unexpectedContentType(response.contentType)
        } catch SessionError.response(.undecodableBody(let response, as: _, let cause)) where cause is DecodingError {
            return .undecodableBody(response.text)
        } catch {
            return .other
        }
    }

    @Test(
        "A value is decoded only from a successful JSON response",
        arguments: [
            (.ok, "application/json", "7", .value(7)),
            (.created, "Application/JSON; charset=utf-8", "7", .value(7)),
            (.ok, "application/problem+json", "7", .value(7)),
            (.ok, nil, "7", .value(7)),
            (.ok, "text/html", "7", .unexpectedContentType("text/html")),
            (.ok, "application/jsonp", "7", .unexpectedContentType("application/jsonp")),
            (.ok, "", "7", .unexpectedContentType("")),
            (.ok, "application/json", "\"seven\"", .undecodableBody("\"seven\"")),
            (.ok, "application/json", "", .undecodableBody("")),
            (.notFound, "application/json", "7", .unexpectedStatus(404, "7")),
            (.found, nil, "", .unexpectedStatus(302, "")),
            (.unauthorized, "text/html", "no", .unexpectedStatus(401, "no")),
        ] as [(HTTPResponse.Status, String?, String, Outcome)])
    private func decoding(
        status: HTTPResponse.Status, type: String?, text: String, expected: Outcome
    ) async {
        #expect(await Self.outcome(StandIn(status, type: type, text: text)) == expected)
    }

    @Test("A body over the limit is not read") func bodyLimit() async throws {
        let error = await #expect(throws: SessionError.self) {
            _ = try await StandIn(text: "1234").get(Self.url, as: Int.self, upTo: 3)
        }
        guard case .limit(.bodyTooLarge(limit: 3)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A response whose status is not expected is an error") func expectedStatuses() async throws {
        let created = try await StandIn(.created, text: "").get(Self.url)
        try await created.expecting(.ok, .created)
        try await created.expecting(.successful)
        let missing = try await StandIn(.notFound, text: "").get(Self.url)
        await #expect(throws: SessionError.self) { _ = try await missing.expecting(.ok, .created) }
        let other = try await StandIn(.notFound, text: "").get(Self.url)
        try await other.expecting(.clientError)
    }

    @Test(
        "A decoding error names the type, the expected type and the place",
        arguments: [
            (#"{"name": 7}"#, "as Bolt: String expected at name."),
            (#"{"name": null}"#, "as Bolt: String expected, and no value found at name."),
            ("{}", "as Bolt: the key name is missing."),
            (#"{"name": "a", "sizes": [1, "b"]}"#, "as Bolt: Int expected at sizes.1."),
            (#"{"name": "a","#, "as Bolt: it is not valid JSON, or a value does not fit its type."),
            ("", "as Bolt: it is empty."),
        ])
    func decodingErrors(body: String, clause: String) async throws {
        struct Bolt: Decodable {
            let name: String
            let sizes: [Int]?
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await StandIn(type: "application/json", text: body).get(Self.url, as: Bolt.self)
        }
        #expect(error?.explanation.message == "The body from \(Self.url) cannot be decoded \(clause)")
        #expect(error?.code == "response.undecodable-body")
    }

    @Test("The reason of an unexpected status quotes the beginning of a text, without secrets")
    func quotation() async throws {
        let client = StandIn(.conflict, type: "application/json", text: #"{"error":"in use","token":"hunter2"}"#)
        let error = await #expect(throws: SessionError.self) { _ = try await client.get(Self.url, as: Int.self) }
        #expect(
            error?.explanation.reason == #"The caller accepts only other statuses. The body begins: "#
                + #""in use"."#)
        #expect(error?.explanation.message == "\(Self.url) answered with status 409.")
    }

    @Test(
        "The error for a content type states a status other than success, and quotes the body",
        arguments: [
            (.ok, "text/html", "the content type text/html", " The body begins: \"Please wait\"."),
            (
                .badRequest, "text/html", "status 400 and the content type text/html",
                " The body begins: \"Please wait\"."
            ),
            (.badRequest, nil, "status 400 and no content type", ""),
        ] as [(HTTPResponse.Status, String?, String, String)])
    func unexpectedContentType(status: HTTPResponse.Status, type: String?, clause: String, quotation: String)
        async throws
    {
        let response = try await StandIn(status, type: type, text: "<p>Please wait</p>").get(Self.url)
        let error = await #expect(throws: SessionError.self) { try await response.expecting(type: "application/json") }
        #expect(error?.explanation.message == "\(Self.url) answered with \(clause).")
        #expect(error?.explanation.reason == "The caller expects another content type." + quotation)
    }

    @Test("An error stores a limited part of the body and prints only the beginning of a text")
    func summary() async throws {
        let page = "hunter2" + String(repeating: "x", count: 10_000)
        let error = await #expect(throws: SessionError.self) {
            _ = try await StandIn(.forbidden, type: "application/octet-stream", text: page).get(Self.url, as: Int.self)
        }
        guard case .response(.unexpectedStatus(let response)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.beginning.count == ResponseSummary.limit)
        #expect(response.text.hasPrefix("hunter2xxx"))
        var dumped = ""
        dump(error, to: &dumped)
        let printed = "\(String(describing: error)) \(String(reflecting: error)) \(dumped)"
        #expect(!printed.contains("hunter2") && !printed.contains("xxx"))
        #expect(printed.contains("403"))
    }

    @Test("The descriptions of bodies and downloads contain no secret") func descriptions() async throws {
        let file = try await withFolder { folder in
            try await StandIn(.ok, type: "text/plain", text: "hunter2")
                .download("https://a.test/?token=hunter2", to: URL(filePath: folder + "/file"))
        }
        let part = FormPart.field("password", "hunter2")
        let bodies: [SessionRequestBody] = [.form(["password": "hunter2"]), .multipart([part])]
        for value in [file, part] + bodies as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            let printed = "\(value) \(String(reflecting: value)) \(dumped)"
            #expect(!printed.contains("hunter2") && !printed.contains("104, 117"))
        }
        #expect("\(file)".hasSuffix("7 bytes from https://a.test/?token=redacted"))
    }

    @Test(
        "Text is decoded in the charset of its Content-Type",
        arguments: [
            ("text/plain; charset=UTF-8", Array("é".utf8), "é"),
            ("text/plain; charset=\"ISO-8859-1\"", [0xE9], "é"),
            ("text/plain", [0x61, 0xE9], "a\u{FFFD}"),
        ] as [(String, [UInt8], String)])
    func text(type: String, bytes: [UInt8], expected: String) async throws {
        let client = StandIn {
            try SessionResponse(to: $0, headerFields: [.contentType: type], body: .bytes(ByteBuffer(bytes: bytes)))
        }
        #expect(try await client.get(Self.url).text() == expected)
        #expect(try await client.get(Self.url).bytes() == bytes)
    }
}
