// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import EssentialFoundation
import NIOCore
import SOAPClients
import Testing

@Suite struct AttachmentTests {
    private let image = [UInt8](repeating: 0, count: 2000).enumerated().map { UInt8(truncatingIfNeeded: $0.offset) }

    /// A service that returns the request's body as the response.
    private let echo = StandIn { request, body in
        // Only the element name in the Body differs.
        let bytes = try await request.body?.collect(upTo: 64 << 20) ?? ByteBuffer()
        return try SessionResponse(
            to: request, headerFields: [.contentType: request.headerFields[.contentType] ?? ""],
            body: .bytes(bytes.replacing("ns1:Scan", with: "ns1:ScanResponse")))
    }

    @Test("A large value is sent as an attachment, and received unchanged", arguments: SOAPVersion.allCases)
    func mtom(version: SOAPVersion) async throws {
        let client = SOAPClient(echo, version) { $0.options.binaries = .mtom }
        let response = try await client.send(AccountService.scan, Scan(image: XMLBinary(image)))
        #expect(try response.output.image.bytes == image)
        #expect(response.attachments.count == 1)
        let request = try #require(echo.last)
        let type = request.headerFields[.contentType] ?? ""
        #expect(type.hasPrefix("multipart/related; type=\"application/xop+xml\"; start=\"<"))
        #expect(type.contains("; start-info=\"\(version.mediaType)\""))
        #expect(type.contains("action=") == (version == .soap12))
        #expect(request.body?.length == echo.lastSize)
        #expect(echo.body.contains("Content-Type: application/xop+xml; charset=UTF-8; type=\"\(version.mediaType)\""))
        #expect(echo.body.contains("Include"))
    }

    @Test("Small values stay in the envelope, and all values without MTOM or with a signer")
    func inline() async throws {
        let client = SOAPClient(echo) { $0.options.binaries = .mtom }
        #expect(try await client.call(AccountService.scan, Scan(image: [1, 2, 3])).image.bytes == [1, 2, 3])
        #expect(echo.last?.headerFields[.contentType] == "text/xml; charset=utf-8")
        #expect(echo.body.contains(">AQID<"))
        for signer in [nil, SOAPSigner { $0 }] {
            let client = SOAPClient(echo) {
                $0.options.binaries = signer == nil ? .inline : .mtom
                $0.signer = signer
            }
            #expect(try await client.call(AccountService.scan, Scan(image: XMLBinary(image))).image.bytes == image)
            #expect(!echo.body.contains("Include"))
        }
    }

    /// Returns a service whose envelope refers to the attachment "a".
    private func referring(_ body: String, to attachment: String) -> StandIn {
        let message = """
            --b\r
            Content-Type: application/xop+xml; type="text/xml"\r
            \r
            \(envelope(body))\r
            --b\r
            Content-ID: <a>\r
            \r
            \(attachment)\r
            --b--\r

            """
        return StandIn(type: "multipart/related; boundary=b; type=\"application/xop+xml\"", message)
    }

    @Test("Nested references are replaced before a verifier reads the envelope")
    func nestedReferences() async throws {
        let include = { (content: String) in
            "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:a\">\(content)</x:Include>"
        }
        let body = "<b:ScanResponse><b:image>\(include(include(include(""))))</b:image></b:ScanResponse>"
        let service = referring(body, to: "hello")
        let client = SOAPClient(service) { $0.verifier = SOAPVerifier { .init(envelope: $0) } }
        #expect(try await client.call(AccountService.scan, Scan(image: [])).image.bytes == Array("hello".utf8))
    }

    @Test("Each reference to an attachment counts toward the limit before verification")
    func repeatedReferences() async throws {
        let include = "<x:Include xmlns:x=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:a\"/>"
        let body = "<b:ScanResponse><b:image>\(String(repeating: include, count: 3))</b:image></b:ScanResponse>"
        let service = referring(body, to: String(repeating: "a", count: 900))
        let client = SOAPClient(service) {
            $0.verifier = SOAPVerifier { .init(envelope: $0) }
            $0.options.documentLimits.maximumByteCount = 3_000
        }
        await #expect {
            try await client.call(AccountService.scan, Scan(image: []))
        } throws: { error in
            guard case SOAPClientError.unreadable("Envelope", .attachmentTooLarge) = error else { return false }
            return true
        }
    }

    @Test(
        "An attachment's type or name with a line break is refused by a session",
        arguments: ["type", "name"])
    func lineBreaks(place: String) async throws {
        let attachment = XMLAttachment(
            .text("x"), contentType: place == "type" ? "text/plain\r\nX: y" : "text/plain",
            contentID: place == "name" ? "a>\r\nX: y" : "a")
        let service = StandIn(envelope(balanceBody))
        _ = try await SOAPClient(service).send(
            AccountService.balance, Balance(account: "1"), attachments: [attachment])
        #expect(service.last?.body?.forbiddenText == .field(place == "type" ? "Content-Type" : "Content-ID"))
    }

    @Test("SwA attachments are sent in order, and received by name") func swa() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "soap-\(UUID().uuidString)")
        try Data(image).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = SessionRequestBody.stream {
            AsyncStream { next in
                for word in ["one ", "two"] { next.yield(ByteBuffer(string: word)) }
                next.finish()
            }
        }
        let attachments = [
            XMLAttachment([1, 2], contentType: "image/png", contentID: "a b@x"), try XMLAttachment(contentsOf: file),
            XMLAttachment(stream, contentType: "text/plain", contentID: "stream"),
        ]
        #expect(try await attachments[2].bytes() == Array("one two".utf8))
        let response = try await SOAPClient(echo).send(
            AccountService.scan, Scan(image: []), attachments: attachments)
        #expect(echo.last?.body?.length == nil, "a stream has no known length")
        #expect(echo.last?.headerFields[.contentType]?.contains("type=\"text/xml\"") == true)
        #expect(response.attachments.map(\.contentID) == attachments.map(\.contentID))
        #expect(response.attachments.map(\.contentType) == ["image/png", "application/octet-stream", "text/plain"])
        #expect(try await response.attachment("cid:a%20b@x")?.bytes() == [1, 2])
        #expect(try await response.attachments[1].bytes() == image)
        #expect(try await response.attachment("stream")?.bytes() == Array("one two".utf8))
        #expect(response.attachment("cid:other") == nil)
    }

    // MARK: Responses

    private func response(_ parts: String, type: String = "multipart/related; boundary=b") -> StandIn {
        StandIn(type: type, parts.replacing("\n", with: "\r\n"))
    }

    private func part(_ identifier: String, _ content: String, _ fields: String = "") -> String {
        "--b\nContent-Type: text/xml\nContent-ID: <\(identifier)>\n\(fields)\n\(content)\n"
    }

    private func scan(_ href: String) -> String {
        envelope(
            """
            <b:ScanResponse><b:image><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="\(href)"/>\
            </b:image></b:ScanResponse>
            """)
    }

    private func call(_ service: StandIn, _ change: (inout MultipartLimits) -> Void = { _ in }) async throws -> Scan {
        let client = SOAPClient(service) { change(&$0.options.multipartLimits) }
        return try await client.call(AccountService.scan, Scan(image: []))
    }

    @Test("The envelope is the part that start names, at any position") func start() async throws {
        let parts = part("i", "aGk=", "Content-Transfer-Encoding: base64\n") + part("root", scan("cid:i")) + "--b--"
        let service = response(parts, type: "multipart/related; boundary=b; start=\"<root>\"")
        #expect(try await call(service).image.bytes == Array("hi".utf8))
        let missing = response(parts, type: "multipart/related; boundary=b; start=\"<other>\"")
        let error = await clientError { try await call(missing) }
        guard case .multipart(.noRootPart) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "A reference to anything else than an attachment of the message is refused",
        arguments: [
            "file:///etc/passwd", "http://127.0.0.1/", "cid:missing", "i", "cid:", "cid:i%zz", "data:,x", "#i",
        ])
    func foreignReferences(href: String) async throws {
        let service = response(part("root", scan(href)) + part("i", "x") + "--b--")
        let error = await clientError { try await call(service) }
        guard case .unreadable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Messages that are too large, truncated or ambiguous are refused") func problems() async throws {
        let root = part("root", scan("cid:i"))
        let rows: [(String, MultipartError, @Sendable (inout MultipartLimits) -> Void)] = [
            (root + part("i", "x"), .noFinalBoundary, { _ in }),
            (root + part("i", "xxx") + "--b--", .largePart(part: 2, maximumByteCount: 2), { $0.maximumPartSize = 2 }),
            (root + part("i", "xxx") + "--b--", .largeTotal(maximumByteCount: 90), { $0.maximumTotalSize = 90 }),
            (root + part("i", "x") + part("j", "x") + "--b--", .tooManyParts(limit: 2), { $0.maximumPartCount = 2 }),
            (root + part("i", "x") + part("i", "y") + "--b--", .duplicateContentID("i"), { _ in }),
            (
                root + part("i", "!", "Content-Transfer-Encoding: base64\n") + "--b--",
                .malformedContent(part: 2, encoding: "base64"), { _ in }
            ),
            ("--b--", .noRootPart, { _ in }),
        ]
        for (text, expected, change) in rows {
            let error = await clientError { try await call(response(text), change) }
            guard case .multipart(let problem) = error, problem == expected else {
                Issue.record("\(expected): \(String(describing: error))")
                continue
            }
        }
        let error = await clientError { try await call(response("--b--", type: "multipart/related")) }
        guard case .multipart(.noBoundary) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A large attachment is stored in an unlinked file, with the same content") func temporaryFile()
        async throws
    {
        let content = String(repeating: "0123456789", count: 100_000)
        let service = response(part("root", scan("cid:i")) + part("i", content) + "--b--")
        let image = try await call(service) { $0.maximumBytesInMemory = 1000 }.image
        #expect(image.size == 1_000_000)
        #expect(throws: XMLValueError.self) { try image.bytes }
        #expect(try await image.load() == Array(content.utf8))
        await #expect(throws: XMLValueError.self) { try await image.load(upTo: 10) }
        // A received attachment can be sent.
        let sent = try await image.attachment?.body.collect(upTo: 2_000_000)
        #expect(sent?.readableBytes == 1_000_000)
    }
}

extension ByteBuffer {
    /// Returns the bytes with all occurrences of a text replaced.
    fileprivate func replacing(_ text: String, with other: String) -> ByteBuffer {
        ByteBuffer(bytes: Array(readableBytesView).replacing(Array(text.utf8), with: Array(other.utf8)))
    }
}
