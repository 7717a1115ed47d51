// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOCore
import Testing
@testable import Countersign
import EssentialFoundation
import POSIX

/// The output file of a download, and the errors for files that cannot be written.
@Suite struct DownloadFileTests {
    private static func failure(
        _ session: HTTPSession, _ url: String, to path: String
    ) async throws -> (path: String, operation: FileError.Operation, code: Int32)? {
        do {
            try await session.download(url, to: URL(filePath: path))
            return nil
        } catch SessionError.file(.failed(let path, let operation, let code)) {
            return (path, operation, code)
        }
    }

    @Test("A file that cannot be created is named in the error before a request is sent") func noFile() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok, body: "content") }
        try await withFolder { folder async throws in
            try await withSession(.init(), stopping: [server]) { session async throws in
                let url = "http://127.0.0.1:\(server.port)/"
                let nowhere = try await Self.failure(session, url, to: "\(folder)/no/file")
                #expect(try #require(nowhere) == ("\(folder)/no/file.part", .create, ENOENT))
                for path in [folder, "/dev/null"] {
                    await #expect { try await session.download(url, to: URL(filePath: path)) } throws: { error in
                        guard case .file(.notRegular(path)) = error as? SessionError else { return false }
                        return true
                    }
                }
                #expect(server.requestCount == 0)
            }
        }
    }

    @Test("A second download to the same file is refused while the first runs") func sameFile() async throws {
        let server = try await ScriptedServer.start { _ in .silence }
        try await withFolder { folder async throws in
            try await withSession(.init(), stopping: [server]) { session async throws in
                let url = "http://127.0.0.1:\(server.port)/"
                let first = session.beginDownload(SessionRequest(url: url), to: URL(filePath: "\(folder)/file"))
                #expect(await eventually { server.requestCount == 1 })
                let second = try await Self.failure(session, url, to: "\(folder)/file")
                #expect(try #require(second) == ("\(folder)/file.part", .lock, EWOULDBLOCK))
                first.cancel()
                await #expect(throws: CancellationError.self) { try await first.value }
                #expect(try names(in: folder).isEmpty)
            }
        }
    }

    @Test("A symbolic link is followed, and the file's permissions are preserved") func linkAndMode() async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok, body: "content") }
        try await withFolder { folder async throws in
            try write([], to: "\(folder)/real")
            try #require(chmod("\(folder)/real", 0o640) == 0)
            try #require(symlink("\(folder)/real", "\(folder)/link") == 0)
            try await withSession(.init(), stopping: [server]) { session async throws in
                try await session.download("http://127.0.0.1:\(server.port)/", to: URL(filePath: "\(folder)/link"))
            }
            #expect(try read("\(folder)/real") == Array("content".utf8))
            #expect(try names(in: folder) == ["link", "real"])
            #expect(FileState(path: "\(folder)/real")?.permissions == 0o640)
        }
    }

    #if os(Linux)
        @Test("The error for a full disk names the file") func fullDisk() async throws {
            let file = try await TransferFile.opening("/dev/full", O_RDWR, .write)
            await #expect {
                try await file.write(ByteBuffer(string: "x"), at: 0)
            } throws: { error in
                if case SessionError.file(.failed(path: "/dev/full", .write, code: ENOSPC)) = error {
                    true
                } else {
                    false
                }
            }
        }
    #endif

    @Test("A large file is downloaded completely") func largeFile() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }
        let server = try await ScriptedServer.start { _ in .init(.ok, body: content) }
        try await withFolder { folder async throws in
            try await withSession(.init(), stopping: [server]) { session async throws in
                let url = "http://127.0.0.1:\(server.port)/"
                let file = try await session.download(url, to: URL(filePath: "\(folder)/file"))
                #expect(file.length == content.count)
                #expect(file.url == url)
                #expect(file.fileURL.lastPathComponent == "file")
            }
            #expect(try read("\(folder)/file") == content)
        }
    }
}
