// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import POSIX
import Testing

/// Files as request bodies, and the progress of their upload.
@Suite struct FileUploadTests {
    private static let content = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// Sends a body to a server that challenges once, and returns the bytes that the server received.
    private static func upload(_ body: SessionRequestBody) async throws -> [UInt8] {
        let arrived = NIOLockedValueBox<[UInt8]>([])
        let server = try await ScriptedServer.start { request in
            arrived.withLockedValue { $0 = request.body }
            return request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) : .init(.ok)
        }
        return try await withSession(.init(), stopping: [server]) { session async throws in
            var request = SessionRequest(url: "http://127.0.0.1:\(server.port)/", method: .put, body: body)
            request.credential = .password(user: "u", password: Secret("p"))
            let response = try await session.send(request)
            #expect(response.status == .ok)
            return arrived.withLockedValue { $0 }
        }
    }

    @Test("A file is sent completely, also after a challenge", arguments: [0, 1, 131_072, 131_073, 262_144, 400_000])
    func repeatedFile(count: Int) async throws {
        try await withFolder { folder async throws in
            let path = "\(folder)/file"
            try write(Array(Self.content.prefix(count)), to: path)
            let body = try SessionRequestBody.file(URL(filePath: path))
            #expect(body.length == count)
            #expect(try await Self.upload(body) == Array(Self.content.prefix(count)))
        }
    }

    /// The change of the file and its time.
    enum Change: CaseIterable, Sendable {
        case longerBefore, shorterBefore, goneBefore, longerInBetween, shorterInBetween
    }

    @Test("A file that changes before or during the upload fails the request", arguments: Change.allCases)
    func changedFile(change: Change) async throws {
        try await withFolder { folder async throws in
            let path = "\(folder)/file"
            try write(Self.content, to: path)
            var body = try SessionRequestBody.file(URL(filePath: path))
            switch change {
            case .longerBefore: try append([1], to: path)
            case .shorterBefore: try write([1], to: path)
            case .goneBefore: unlink(path)
            // The file is changed in place, as by a program that writes a log.
            case .longerInBetween: body = body.reporting { _ in truncate(path, 400_001) }
            case .shorterInBetween: body = body.reporting { _ in truncate(path, 5) }
            }
            do {
                _ = try await Self.upload(body)
                Issue.record("sent")
            } catch SessionError.file(.changed(path: path)) {
                #expect(change != .goneBefore)
            } catch SessionError.file(.failed(path: path, .read, code: ENOENT)) {
                #expect(change == .goneBefore)
            }
        }
    }

    @Test("A missing file is an error when the body is made") func missingFile() {
        #expect {
            _ = try SessionRequestBody.file(URL(filePath: "/nowhere/at/all"))
        } throws: { error in
            if case SessionError.file(.failed(path: "/nowhere/at/all", .read, code: ENOENT)) = error {
                true
            } else {
                false
            }
        }
    }

    @Test("A pipe is sent once and in chunks") func pipe() async throws {
        try await withFolder { folder async throws in
            let path = "\(folder)/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            let body = try SessionRequestBody.file(URL(filePath: path))
            #expect(body.length == nil)
            let arrived = NIOLockedValueBox((length: String?.none, body: [UInt8]()))
            let server = try await ScriptedServer.start { request in
                arrived.withLockedValue { $0 = (request.head.headerFields[.contentLength], request.body) }
                return .init(.ok)
            }
            // The pipe is opened for reading and writing, so that `open` does not block.
            let end = open(path, O_RDWR)
            try #require(end >= 0)
            try await withSession(.init(), stopping: [server]) { session async throws in
                let request = SessionRequest(url: "http://127.0.0.1:\(server.port)/", method: .put, body: body)
                async let response = session.send(request)
                var content = Array(Self.content.prefix(50_000))
                let count = content.withUnsafeMutableBytes { bytes in
                    var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                    return writev(end, &part, 1)
                }
                #expect(count == content.count)
                // The upload ends after the last writer has closed the pipe and everything written has been read.
                #expect(await eventually { Self.pending(in: end) == 0 })
                close(end)
                _ = try await response
            }
            #expect(arrived.withLockedValue { $0.length } == nil)
            #expect(arrived.withLockedValue { $0.body } == Array(Self.content.prefix(50_000)))
        }
    }

    private static func pending(in descriptor: Int32) -> Int32 {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : -1
    }

    @Test("An upload reports its progress") func progress() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok, body: "thanks") }
        try await withSession(.init(), stopping: [server]) { session async throws in
            let transfer = session.beginUpload(
                SessionRequest(url: "http://127.0.0.1:\(server.port)/", method: .put, body: .bytes(Self.content)))
            var last: TransferProgress?
            for await progress in transfer.progress {
                #expect(progress.completed > last?.completed ?? 0)
                last = progress
            }
            #expect(last == TransferProgress(completed: 400_000, total: 400_000))
            #expect(String(buffer: try await transfer.value.body.collect(upTo: 100)) == "thanks")
        }
    }

    @Test("A transfer is cancelled when its last reference is released") func droppedTransfer() async throws {
        let server = try await ScriptedServer.start { _ in .silence }
        try await withSession(.init(), stopping: [server]) { session async throws in
            let request = SessionRequest(url: "http://127.0.0.1:\(server.port)/", method: .put, body: .bytes([1]))
            var transfer: Transfer<SessionResponse>? = session.beginUpload(request)
            let progress = try #require(transfer).progress
            #expect(await eventually { server.requestCount == 1 })
            transfer = nil
            // The progress sequence ends only when the request ends.
            for await _ in progress {}
            #expect(await eventually { server.openConnectionCount == 0 })
        }
    }
}
