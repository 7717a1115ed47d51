// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing

/// Forms (RFC 7578, HTML section 4.10.21, the URL Standard).
@Suite struct FormTests {
    /// Sends a body and returns the header fields and the body that the server received.
    private static func arrival(
        of body: SessionRequestBody, headerFields: HTTPFields = [:]
    ) async throws -> (fields: HTTPFields, body: String) {
        let arrived = NIOLockedValueBox((fields: HTTPFields(), body: ""))
        let server = try await ScriptedServer.start { request in
            arrived.withLockedValue { $0 = (request.head.headerFields, String(decoding: request.body, as: UTF8.self)) }
            return .init(.ok, body: "")
        }
        return try await withSession(.init(), stopping: [server]) { session async throws in
            let request = SessionRequest(
                url: "http://127.0.0.1:\(server.port)/", method: .post, headerFields: headerFields, body: body)
            _ = try await session.send(request).body.collect(upTo: 100)
            return arrived.withLockedValue { $0 }
        }
    }

    private static let expected = """
        --b\r
        Content-Disposition: form-data; name="title"\r
        \r
        Gr\u{FC}\u{DF}e\nline\r
        --b\r
        Content-Disposition: form-data; name="file"; filename="a.txt"\r
        Content-Type: text/plain\r
        \r
        0123456789\r
        --b--\r

        """

    /// The source of the second part's content.
    enum Kind: CaseIterable, Sendable {
        case memory, file, stream, unknownLength, once
    }

    @Test("A multipart form is sent with each kind of part", arguments: Kind.allCases)
    func multipart(kind: Kind) async throws {
        try await withFolder { folder async throws in
            let bytes = Array("0123456789".utf8)
            let path = "\(folder)/a.txt"
            try write(bytes, to: path)
            let parts: @Sendable () -> AsyncStream<ByteBuffer> = {
                AsyncStream { next in
                    next.yield(ByteBuffer(bytes: bytes))
                    next.finish()
                }
            }
            let content: SessionRequestBody =
                switch kind {
                case .memory: .bytes(bytes)
                case .file: try .file(URL(filePath: path))
                case .stream: .stream(length: 10, parts)
                case .unknownLength: .stream(parts)
                case .once: .oneShot(length: 10, parts())
                }
            let form = SessionRequestBody.multipart(
                [
                    .field("title", "Gr\u{FC}\u{DF}e\nline"),
                    FormPart(name: "file", body: content, fileName: "a.txt", contentType: "text/plain"),
                ],
                boundary: "b")
            #expect(form.length == (kind == .unknownLength ? nil : Self.expected.utf8.count))
            let (fields, body) = try await Self.arrival(of: form)
            #expect(body == Self.expected)
            #expect(fields[.contentType] == "multipart/form-data; boundary=b")
            #expect(fields[.contentLength] == form.length.map(String.init))
        }
    }

    @Test(
        "Quotes in part names are percent-encoded as browsers do",
        arguments: [
            (name: "a\"b", file: "c\"d", expected: "name=\"a%22b\"; filename=\"c%22d\""),
            ("\u{E9}%22;\\", "\u{1F600}", "name=\"\u{E9}%22;\\\"; filename=\"\u{1F600}\""),
        ])
    func escaping(name: String, file: String, expected: String) async throws {
        let part = FormPart(name: name, body: .bytes([]), fileName: file, contentType: "text/x")
        let body = try await Self.arrival(of: .multipart([part], boundary: "b")).body
        #expect(
            body
                == "--b\r\nContent-Disposition: form-data; \(expected)\r\nContent-Type: text/x\r\n\r\n\r\n--b--\r\n"
        )
    }

    @Test("No two forms have the same boundary") func boundaries() {
        let types = (0..<100).map { _ in SessionRequestBody.multipart([]).contentType ?? "" }
        #expect(Set(types).count == 100)
        // RFC 2046 section 5.1.1 limits a boundary to 70 characters.
        #expect(types.allSatisfy { $0.count <= "multipart/form-data; boundary=".count + 70 })
    }

    @Test("A part without the announced length is named in the error") func wrongPartLength() async throws {
        let short = FormPart(name: "short", body: .stream(length: 3) { Self.once("ab") })
        let long = FormPart(name: "long", body: .stream(length: 1) { Self.once("cd") })
        await #expect {
            try await Self.arrival(of: .multipart([short, long]))
        } throws: { error in
            if case SessionError.body(.wrongPartLength("short", announced: 3, produced: 2)) = error {
                true
            } else {
                false
            }
        }
    }

    private static func once(_ text: String) -> AsyncStream<ByteBuffer> {
        AsyncStream { next in
            next.yield(ByteBuffer(string: text))
            next.finish()
        }
    }

    @Test("A form without files is sent URL-encoded") func urlEncoded() async throws {
        let (fields, body) = try await Self.arrival(
            of: .form(["a b": "c&d=e", "\u{E9}~": "*-._\n", "": "", "a b": "%+"]))
        #expect(body == "a+b=c%26d%3De&%C3%A9%7E=*-._%0A&=&a+b=%25%2B")
        #expect(fields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("The caller's Content-Type is preserved") func callerContentType() async throws {
        let fields = try await Self.arrival(of: .form(["a": "b"]), headerFields: [.contentType: "text/mine"]).fields
        #expect(fields[values: .contentType] == ["text/mine"])
    }
}
