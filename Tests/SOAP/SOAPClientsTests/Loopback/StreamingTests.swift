// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import NIOConcurrencyHelpers
import NIOCore
import SOAPClients
import TestServer
import Testing

/// Tests of attachments that exceed the memory limit.
@Suite struct StreamingTests {
    /// Parts that are produced on demand.
    private struct GeneratedParts: AsyncSequence, Sendable {
        let head: String
        let count: Int
        let end: String
        /// The number of produced parts.
        let made = NIOLockedValueBox(0)

        struct AsyncIterator: AsyncIteratorProtocol {
            let pieces: GeneratedParts
            var number = -1

            mutating func next() async -> ByteBuffer? {
                defer { number += 1 }
                switch number {
                case -1: return ByteBuffer(string: pieces.head)
                case ..<pieces.count:
                    pieces.made.withLockedValue { $0 += 1 }
                    return ByteBuffer(repeating: UInt8(truncatingIfNeeded: number), count: 64 << 10)
                case pieces.count: return ByteBuffer(string: pieces.end)
                default: return nil
                }
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
    }

    /// A service that reads the parts of a request one by one, and responds with a sequence of parts.
    private struct StreamingService: RequestSender {
        let answer: GeneratedParts
        let takenBytes = NIOLockedValueBox(0)

        func send(_ request: SessionRequest) async throws -> SessionResponse {
            try await request.body?.produce { [takenBytes] part in
                takenBytes.withLockedValue { $0 += part.readableBytes }
            }
            return try SessionResponse(
                to: request, headerFields: [.contentType: "multipart/related; boundary=b"], body: .stream(answer))
        }
    }

    private static let head = """
        --b\r\n\r\n\(envelope("""
            <b:ScanResponse><b:image><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:i"/></b:image>\
            </b:ScanResponse>
            """))\r\n--b\r\nContent-ID: <i>\r\n\r\n
        """

    @Test("A value of 16 MiB is streamed, and one of that size is received into a file")
    func streams() async throws {
        let request = GeneratedParts(head: "", count: 256, end: "")
        let service = StreamingService(answer: GeneratedParts(head: Self.head, count: 256, end: "\r\n--b--"))
        var client = SOAPClient(session: service, endpoint: "http://bank.example/")
        client.options.binaries = .mtom
        let body = SessionRequestBody.stream(length: 16 << 20) { request }
        let scan = try await client.call(
            AccountService.scan, Scan(image: XMLBinary(attachment: XMLAttachment(body))))
        #expect(service.takenBytes.withLockedValue { $0 } > 16 << 20)
        #expect(scan.image.size == 16 << 20)
        #expect(throws: XMLValueError.self, "it is not in memory") { try scan.image.bytes }
        let bytes = try await scan.image.load()
        let firsts: [UInt8] = stride(from: 0, to: bytes.count, by: 64 << 10).map { bytes[$0] }
        #expect(firsts == Array(0...255))
    }

    @Test("A response that is too large is not read completely") func tooLarge() async throws {
        let service = StreamingService(answer: GeneratedParts(head: Self.head, count: 256, end: "\r\n--b--"))
        var client = SOAPClient(session: service, endpoint: "http://bank.example/")
        client.options.multipartLimits.maximumPartSize = 1 << 20
        let error = await clientError { try await client.call(AccountService.scan, Scan(image: [])) }
        guard case .multipart(.largePart(part: 2, maximumByteCount: 1 << 20)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.answer.made.withLockedValue { $0 } < 20)
    }

    @Test("A file of 4 MiB is sent with its length and received again") func loopback() async throws {
        let content =
            [UInt8](repeating: 1, count: 2 << 20) + Array("\r\n--".utf8) + [UInt8](repeating: 2, count: 2 << 20)
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            .init(.ok, [.contentType: request.head.headerFields[.contentType] ?? ""], body: request.body)
        }
        let session = HTTPSession(HTTPSession.Configuration())
        var bank = AccountService(session: session, endpoint: "http://localhost:\(server.port)/")
        bank.client.options.binaries = .mtom
        let attachment = XMLAttachment(SessionRequestBody.stream(length: content.count) { OnePiece(bytes: content) })
        let echo = SOAPOperation<Scan, Scan>(
            "Echo", input: XMLName("Scan", in: bankNamespace), output: XMLName("Scan", in: bankNamespace))
        let scan = try await bank.client.call(echo, Scan(image: XMLBinary(attachment: attachment)))
        #expect(try await scan.image.load() == content)
        let request = try #require(log.requests.last)
        #expect(request.head.headerFields[.contentLength].flatMap(Int.init) == request.body.count)
        await session.close()
        await server.stop()
    }

    private struct OnePiece: AsyncSequence, Sendable {
        let bytes: [UInt8]

        struct AsyncIterator: AsyncIteratorProtocol {
            var bytes: [UInt8]?

            mutating func next() async -> ByteBuffer? {
                defer { bytes = nil }
                return bytes.map { ByteBuffer(bytes: $0) }
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes) }
    }
}
