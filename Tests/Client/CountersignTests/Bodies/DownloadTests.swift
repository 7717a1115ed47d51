// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import EssentialFoundation
import HTTPTypes
import NIOCore
import POSIX
import Testing

/// Downloads that are interrupted and resumed (RFC 9110 sections 13.1.5 and 14).
@Suite struct DownloadTests {
    typealias Answer = DownloadScene.Answer

    private static let tag = "ETag: \"one\""
    /// A response that is cut off after the first five of ten bytes.
    private static let half = Answer("HTTP/1.1 200 OK", "Content-Length: 10", tag, body: "01234")
    private static let rest = Answer(
        "HTTP/1.1 206 Partial", "Content-Length: 5", "Content-Range: bytes 5-9/10", tag, body: "56789")
    private static let complete = Answer("HTTP/1.1 200 OK", "Content-Length: 10", "ETag: \"two\"", body: "abcdefghij")

    /// Downloads once, and resumes only as often as `resumptions` permits.
    @discardableResult
    private static func download(
        _ scene: DownloadScene, path: String = "/", onConflict conflict: DownloadConflict = .fail, resumptions: Int = 0
    ) async throws -> DownloadedFile {
        try await withSession(.init()) { session async throws in
            try await session.download(
                SessionRequest(url: scene.url(path)), to: scene.file, onConflict: conflict, resumptions: resumptions)
        }
    }

    /// Starts a download that is cut off after its first half.
    private static func interrupt(_ scene: DownloadScene, path: String = "/") async throws {
        await #expect {
            try await download(scene, path: path)
        } throws: { error in
            if case SessionError.body(.truncated(_, received: 5, expected: 10)) = error { true } else { false }
        }
    }

    @Test("One call downloads a file and replaces the old one") func oneLine() async throws {
        try await DownloadScene.run([Self.complete]) { scene async throws in
            try write(Array("old".utf8), to: scene.path)
            try await withSession(.init()) { session async throws in
                try await session.download(scene.url(), to: scene.file)
            }
            #expect(try read(scene.path) == Array("abcdefghij".utf8))
            #expect(try names(in: scene.folder) == ["file"])
            #expect(scene.fields("Accept-Encoding") == ["identity"])
            #expect(scene.fields("Range") == [""])
        }
    }

    @Test("An interrupted download resumes within the call if that is permitted") func resumption() async throws {
        try await DownloadScene.run([Self.half, Self.rest]) { scene async throws in
            let file = try await Self.download(scene, resumptions: 1)
            #expect(try read(scene.path) == Array("0123456789".utf8))
            #expect(file.length == 10)
            #expect(file.resumedFrom == 0)
            #expect(scene.fields("Range") == ["", "bytes=5-"])
            #expect(scene.fields("If-Range") == ["", "\"one\""])
        }
    }

    @Test("The next download resumes at the end of the partial file") func laterResumption() async throws {
        try await DownloadScene.run([Self.half, Self.rest]) { scene async throws in
            try write(Array("old".utf8), to: scene.path)
            try await Self.interrupt(scene)
            #expect(try read(scene.path) == Array("old".utf8))
            #expect(try names(in: scene.folder) == ["file", "file.part", "file.part-note"])
            let file = try await Self.download(scene)
            #expect(try read(scene.path) == Array("0123456789".utf8))
            #expect(file.resumedFrom == 5)
            #expect(try names(in: scene.folder) == ["file"])
        }
    }

    /// The responses of a server to the requests for the remaining bytes.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answers: [Answer]
        var content = "0123456789"
        var ranges = ["", "bytes=5-"]
        var resumedFrom = 0
    }

    private static let rows = [
        Row(testDescription: "the rest", answers: [rest], resumedFrom: 5),
        Row(
            testDescription: "the rest, without a total length",
            answers: [
                Answer("HTTP/1.1 206 Partial", "Content-Range: bytes 5-9/*", tag, "Content-Length: 5", body: "56789")
            ],
            resumedFrom: 5),
        Row(
            testDescription: "the rest, in two parts",
            answers: [
                Answer("HTTP/1.1 206 Partial", "Content-Range: bytes 5-6/10", "Content-Length: 2", body: "56"),
                Answer("HTTP/1.1 206 Partial", "Content-Range: bytes 7-9/10", "Content-Length: 3", body: "789"),
            ], ranges: ["", "bytes=5-", "bytes=7-"], resumedFrom: 5),
        Row(testDescription: "another representation", answers: [complete], content: "abcdefghij"),
        Row(
            testDescription: "a part of another representation",
            answers: [
                Answer(
                    "HTTP/1.1 206 Partial", "Content-Range: bytes 5-9/10", "ETag: \"two\"", "Content-Length: 5",
                    body: "fghij"),
                complete,
            ], content: "abcdefghij", ranges: ["", "bytes=5-", ""]),
        Row(
            testDescription: "416, and the file is complete",
            answers: [Answer("HTTP/1.1 416 No", "Content-Range: bytes */5", tag, "Content-Length: 0")],
            content: "01234",
            resumedFrom: 5),
        Row(
            testDescription: "416, and the file is shorter",
            answers: [Answer("HTTP/1.1 416 No", "Content-Range: bytes */3", "Content-Length: 0"), complete],
            content: "abcdefghij", ranges: ["", "bytes=5-", ""]),
        Row(
            testDescription: "416 without a length",
            answers: [Answer("HTTP/1.1 416 No", "Content-Length: 0"), complete],
            content: "abcdefghij", ranges: ["", "bytes=5-", ""]),
    ]

    @Test("The response to a range request is appended only if it fits the file", arguments: rows)
    func answersToRange(row: Row) async throws {
        // If the length of the file is unknown, only a 416 response can tell the client that the file is complete.
        let isOpen = row.content == "01234"
        let half =
            isOpen
            ? Answer("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", Self.tag, body: "5\r\n01234\r\n") : Self.half
        try await DownloadScene.run([half] + row.answers) { scene async throws in
            await #expect(throws: SessionError.self) { try await Self.download(scene) }
            let file = try await Self.download(scene)
            #expect(String(decoding: try read(scene.path), as: UTF8.self) == row.content)
            #expect(file.length == row.content.utf8.count)
            #expect(file.resumedFrom == row.resumedFrom && file.discardedLength == 5 - row.resumedFrom)
            #expect(scene.fields("Range") == row.ranges)
            #expect(scene.fields("If-Range") == row.ranges.map { $0.isEmpty ? "" : "\"one\"" })
            #expect(try names(in: scene.folder) == ["file"])
        }
    }

    @Test(
        "A Content-Range that was not requested is refused, and the partial file is removed",
        arguments: [
            "bytes 4-9/10", "bytes 6-9/10", "bytes 5-9/11", "bytes 5-10/10", "bytes 9-5/10", "bytes 5-8/10",
            "bytes */10",
            "items 5-9/10", "bytes 5-9", "bytes +5-9/10", "bytes 5-99999999999999999999/*", "",
        ])
    func wrongRange(field: String) async throws {
        let wrongAnswer = Answer(
            "HTTP/1.1 206 Partial", "Content-Length: 5", field.isEmpty ? Self.tag : "Content-Range: \(field)",
            body: "56789")
        try await DownloadScene.run([Self.half, wrongAnswer, Self.complete]) { scene async throws in
            try await Self.interrupt(scene)
            await #expect {
                try await Self.download(scene)
            } throws: { error in
                guard case SessionError.response(.wrongContentRange(_, offset: 5, let answered)) = error else {
                    return false
                }
                return answered == (field.isEmpty ? nil : field)
            }
            #expect(try names(in: scene.folder).isEmpty)
            try await Self.download(scene)
            #expect(try read(scene.path) == Array("abcdefghij".utf8))
        }
    }

    @Test(
        "A download is resumed only with a strong validator",
        arguments: [
            // A weak entity tag (RFC 9110 section 13.1.5), no validator, and malformed tags.
            (fields: ["ETag: W/\"one\""], ifRange: ""), ([], ""), (["ETag: one"], ""), (["ETag: \"o\"e\""], ""),
            (["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], ""),
            (["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:50:36 GMT"], ""),
            (
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:50:37 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (
                ["Last-Modified: Sun, 28 Feb 1999 23:59:59 GMT", "Date: Mon, 01 Mar 1999 00:00:58 GMT"], ""
            ),
            (
                ["Last-Modified: Mon, 28 Feb 2000 23:59:59 GMT", "Date: Wed, 01 Mar 2000 00:00:00 GMT"],
                "Mon, 28 Feb 2000 23:59:59 GMT"
            ),
            (
                [
                    "ETag: W/\"one\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date: Sun, 06 Nov 2024 08:50:37 GMT",
                ],
                ""
            ),
            (["ETag: \"two\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], "\"two\""),
        ])
    func validators(fields: [String], ifRange: String) async throws {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: 10"] + fields
        try await DownloadScene.run([Answer(lines: lines, body: "01234"), Self.complete]) { scene async throws in
            try await Self.interrupt(scene)
            #expect(try names(in: scene.folder) == (ifRange.isEmpty ? [] : ["file.part", "file.part-note"]))
            try await Self.download(scene)
            #expect(scene.fields("If-Range") == ["", ifRange])
            #expect(scene.fields("Range") == ["", ifRange.isEmpty ? "" : "bytes=5-"])
        }
    }

    @Test("The partial file of another URL is an error, unless the caller discards it; its note hides the query")
    func otherURL() async throws {
        try await DownloadScene.run([Self.half, Self.complete]) { scene async throws in
            try await Self.interrupt(scene, path: "/a?key=secret")
            #expect(!String(decoding: try read("\(scene.path).part-note"), as: UTF8.self).contains("secret"))
            await #expect {
                try await Self.download(scene, path: "/b?key=secret")
            } throws: { error in
                guard case SessionError.file(.partialFileOfAnotherURL("\(scene.path).part")) = error else {
                    return false
                }
                return true
            }
            #expect(scene.requests.count == 1)
            #expect(try names(in: scene.folder) == ["file.part", "file.part-note"])
            #expect(try read("\(scene.path).part") == Array("01234".utf8))
            let file = try await Self.download(scene, path: "/b?key=secret", onConflict: .discard)
            #expect(file.resumedFrom == 0 && file.discardedLength == 5)
            #expect(scene.fields("Range") == ["", ""])
            #expect(try read(scene.path) == Array("abcdefghij".utf8))
        }
    }

    @Test(
        "The partial file of the same URL is resumed, whatever the conflict",
        arguments: [DownloadConflict.fail, .discard])
    func sameURL(conflict: DownloadConflict) async throws {
        try await DownloadScene.run([Self.half, Self.rest]) { scene async throws in
            try await Self.interrupt(scene)
            let file = try await Self.download(scene, onConflict: conflict)
            #expect(file.resumedFrom == 5 && file.discardedLength == 0)
        }
    }

    /// The response with all bytes to a request for a part.
    private static let whole = Answer(
        "HTTP/1.1 206 Partial", "Content-Length: 10", "Content-Range: bytes 0-9/10", tag, body: "0123456789")

    @Test("A killed program's download is resumed in a later run, after a comparison of its end")
    func killed() async throws {
        let slow = Answer("HTTP/1.1 200 OK", "Content-Length: 10", Self.tag, body: "01234", waits: true)
        try await DownloadScene.run([slow, Self.whole]) { scene async throws in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = scene.url() as String, path = scene.path as String] in
                let transfer = HTTPSession(.init()).beginDownload(SessionRequest(url: url), to: URL(filePath: path))
                for await progress in transfer.progress where progress.completed == 5 { kill(getpid(), SIGKILL) }
            }
            let file = try await Self.download(scene)
            #expect(file.resumedFrom == 5)
            #expect(scene.fields("Range") == ["", "bytes=0-"])
            #expect(scene.fields("If-Range") == ["", "\"one\""])
            #expect(try read(scene.path) == Array("0123456789".utf8))
        }
    }

    /// A change of the partial file by another program, and the responses to the next download.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let part: String
        let answers: [Answer]
        var ranges = ["", "bytes=0-", ""]
        var resumedFrom = 0
    }

    private static let changes = [
        Change(
            testDescription: "bytes of the resource", part: "0123456", answers: [whole], ranges: ["", "bytes=0-"],
            resumedFrom: 7),
        Change(testDescription: "other bytes at the end", part: "01234xx", answers: [whole, complete]),
        Change(testDescription: "other bytes instead", part: "xxxxx", answers: [whole, complete]),
        Change(testDescription: "as many bytes as the resource", part: "01234xxxxx", answers: [whole, complete]),
        Change(
            testDescription: "more bytes than the resource", part: "0123456789x", answers: [complete], ranges: ["", ""]),
        Change(
            testDescription: "a shorter resource", part: "0123456",
            answers: [
                Answer(
                    "HTTP/1.1 206 Partial", "Content-Length: 6", "Content-Range: bytes 0-5/*", tag, body: "012345"),
                Answer("HTTP/1.1 416 No", "Content-Range: bytes */6", tag, "Content-Length: 0"), complete,
            ], ranges: ["", "bytes=0-", "bytes=6-", ""]),
    ]

    @Test(
        "A partial file that another program changed is resumed only if its end is that of the resource",
        arguments: changes)
    func changedPart(change: Change) async throws {
        try await DownloadScene.run([Self.half] + change.answers) { scene async throws in
            try await Self.interrupt(scene)
            try write(Array(change.part.utf8), to: "\(scene.path).part")
            let file = try await Self.download(scene)
            #expect(scene.fields("Range") == change.ranges)
            #expect(file.resumedFrom == change.resumedFrom)
            #expect(file.discardedLength == change.part.utf8.count - change.resumedFrom)
            let content = change.resumedFrom > 0 ? "0123456789" : "abcdefghij"
            #expect(String(decoding: try read(scene.path), as: UTF8.self) == content)
            #expect(try names(in: scene.folder) == ["file"])
        }
    }

    @Test("A download that restarts and is interrupted again has resumed nothing of the first run")
    func interruptedRestart() async throws {
        let other = Answer("HTTP/1.1 200 OK", "Content-Length: 10", "ETag: \"two\"", body: "abc")
        let rest = Answer(
            "HTTP/1.1 206 Partial", "Content-Length: 7", "Content-Range: bytes 3-9/10", "ETag: \"two\"", body: "defghij"
        )
        try await DownloadScene.run([Self.half, other, rest]) { scene async throws in
            try await Self.interrupt(scene)
            let file = try await Self.download(scene, resumptions: 1)
            #expect(file.resumedFrom == 0 && file.discardedLength == 5)
            #expect(try read(scene.path) == Array("abcdefghij".utf8))
        }
    }

    @Test(
        "A malformed note is ignored, and the download restarts",
        arguments: ["", "rubbish", "countersign-download 2\n\n\n\n\n", "\u{0}\u{0}"])
    func malformedNote(text: String) async throws {
        try await DownloadScene.run([Self.half, Self.complete]) { scene async throws in
            try await Self.interrupt(scene)
            try write(Array(text.utf8), to: "\(scene.path).part-note")
            try await Self.download(scene)
            #expect(scene.fields("Range") == ["", ""])
            #expect(try read(scene.path) == Array("abcdefghij".utf8))
        }
    }

    @Test("A download resumes only as often as permitted") func resumptionLimit() async throws {
        let more = Answer(
            "HTTP/1.1 206 Partial", "Content-Length: 5", "Content-Range: bytes 5-9/10", Self.tag, body: "5")
        try await DownloadScene.run([Self.half, more, Self.rest]) { scene async throws in
            await #expect {
                try await Self.download(scene, resumptions: 1)
            } throws: { error in
                if case SessionError.body(.truncated(_, received: 1, expected: 5)) = error { true } else { false }
            }
            #expect(scene.requests.count == 2)
            #expect(try read("\(scene.path).part") == Array("012345".utf8))
        }
    }

    @Test("A download by POST is not resumed") func post() async throws {
        try await DownloadScene.run([Self.half, Self.rest]) { scene async throws in
            await #expect(throws: SessionError.self) {
                try await withSession(.init()) { session async throws in
                    try await session.download(SessionRequest(url: scene.url(), method: .post), to: scene.file)
                }
            }
            #expect(scene.requests.count == 1)
            #expect(try names(in: scene.folder).isEmpty)
        }
    }

    @Test("A cancelled download keeps its partial file and is resumed later") func cancellation() async throws {
        let slow = Answer("HTTP/1.1 200 OK", "Content-Length: 10", Self.tag, body: "01234", waits: true)
        try await DownloadScene.run([slow, Self.rest]) { scene async throws in
            try await withSession(.init()) { session async throws in
                let transfer = session.beginDownload(SessionRequest(url: scene.url()), to: scene.file)
                for await progress in transfer.progress where progress.completed == 5 {
                    #expect(progress.total == 10)
                    #expect(progress.fraction == 0.5)
                    transfer.cancel()
                }
                await #expect(throws: CancellationError.self) { try await transfer.value }
                #expect(try read("\(scene.path).part") == Array("01234".utf8))
                let file = try await session.download(scene.url(), to: scene.file)
                #expect(file.resumedFrom == 5)
                #expect(try read(scene.path) == Array("0123456789".utf8))
            }
        }
    }

    @Test("A status other than success leaves the file unchanged", arguments: [403, 404, 500, 304])
    func refusal(status: Int) async throws {
        let body = status == 304 ? "" : "a reason"
        let refusal = Answer("HTTP/1.1 \(status) No", "Content-Length: \(body.utf8.count)", body: body)
        try await DownloadScene.run([refusal]) { scene async throws in
            try write(Array("old".utf8), to: scene.path)
            await #expect {
                try await Self.download(scene)
            } throws: { error in
                guard case SessionError.response(.downloadRefused(let response)) = error else { return false }
                return response.status.code == status && response.text == body
            }
            #expect(try read(scene.path) == Array("old".utf8))
            #expect(try names(in: scene.folder) == ["file"])
        }
    }
}

extension DownloadScene.Answer {
    fileprivate init(lines: [String], body: String) {
        (self.lines, self.body) = (lines, body)
    }
}
