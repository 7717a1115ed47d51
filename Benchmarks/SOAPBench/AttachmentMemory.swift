// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore
import POSIX
import SOAPClients

extension SOAPBench {
    /// Sends an attachment to a service that discards it, receives one of the same size, and prints the peak memory.
    func measureMemory(mebibytes: Int) async throws {
        var client = SOAPClient(session: AttachmentService(mebibytes: mebibytes), endpoint: "http://127.0.0.1/")
        client.options.multipartLimits.maximumPartSize = mebibytes << 20
        client.options.multipartLimits.maximumTotalSize = (mebibytes << 20) + (1 << 20)
        print("peak before: \(Self.peak) MiB")
        let body = SessionRequestBody.stream(length: mebibytes << 20) {
            GeneratedParts(head: "", mebibytes: mebibytes, end: "")
        }
        let operation = SOAPOperation<SOAPEmptyBody, SOAPEmptyBody>("Store", input: nil, output: nil)
        let response = try await client.send(operation, SOAPEmptyBody(), attachments: [XMLAttachment(body)])
        guard response.attachments.first?.size == mebibytes << 20 else { throw BenchError.wrongAnswer }
        print("peak after \(mebibytes) MiB there and back: \(Self.peak) MiB")
    }

    /// The peak memory of the process, in MiB.
    private static var peak: Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return Int(usage.ru_maxrss) >> 20
        #else
            getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
            return Int(usage.ru_maxrss) >> 10
        #endif
    }
}

/// A service that discards a request's parts, and responds with an attachment that is produced on demand.
private struct AttachmentService: RequestSender {
    let mebibytes: Int

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        try await request.body?.produce { _ in }
        let head = """
            --b\r\n\r\n<s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)"><s:Body/></s:Envelope>\r\n--b\r\n\r\n
            """
        return try SessionResponse(
            to: request, headerFields: [.contentType: "multipart/related; boundary=b"],
            body: .stream(GeneratedParts(head: head, mebibytes: mebibytes, end: "\r\n--b--")))
    }
}

/// A sequence of parts that are produced on demand.
private struct GeneratedParts: AsyncSequence, Sendable {
    let head: String
    let mebibytes: Int
    let end: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let pieces: GeneratedParts
        var number = -1

        mutating func next() async -> ByteBuffer? {
            defer { number += 1 }
            switch number {
            case -1: return ByteBuffer(string: pieces.head)
            case ..<(pieces.mebibytes * 16):
                return ByteBuffer(repeating: UInt8(truncatingIfNeeded: number), count: 64 << 10)
            case pieces.mebibytes * 16: return ByteBuffer(string: pieces.end)
            default: return nil
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
}
