// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CommandSupport
@testable import CertificateTrust
@testable import CountersignCommand

@Suite("Text from outside cannot change how a terminal behaves") struct ConsoleTests {
    /// A recorder of a console's output.
    private final class Screen: Sendable {
        private let texts = NIOLockedValueBox((output: [UInt8](), errors: ""))

        var output: String { String(decoding: texts.withLockedValue { $0.output }, as: UTF8.self) }
        var bytes: [UInt8] { texts.withLockedValue { $0.output } }
        var errors: String { texts.withLockedValue { $0.errors } }

        func console(isTerminal: Bool) -> Console {
            Console(
                write: { bytes in self.texts.withLockedValue { $0.output += bytes } },
                writeError: { text in self.texts.withLockedValue { $0.errors += text } },
                environment: ["TERM": "xterm"], outputIsTerminal: isTerminal, errorIsTerminal: isTerminal)
        }
    }

    private static let hostile = "a\u{1B}[2J\u{9B}2J\u{202E}\u{2066}\u{200B}\u{2028}\r\u{7}b"
    private static let shown = "a\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{d}\\u{7}b"

    @Test("Lines are printable, on a terminal and in a pipe", arguments: [true, false])
    func lines(isTerminal: Bool) throws {
        let screen = Screen()
        let console = screen.console(isTerminal: isTerminal)
        try console.print("one\n" + Self.hostile)
        console.printError("two\n" + Self.hostile)
        #expect(screen.output == "one\n\(Self.shown)\n")
        #expect(screen.errors == "two\n\(Self.shown)\n")
    }

    @Test(
        "A body that is not UTF-8 is shown in another encoding of text",
        arguments: [
            // The columns are the chunks, the charset, the text, and the encoding that is noted.
            ([[0x63, 0x61, 0x66, 0xE9]], nil, "café", "windows-1252"),
            ([[0x63, 0xE9], [0x0A]], "iso-8859-1", "cé\n", "windows-1252"),
            ([[0x93, 0x80, 0x94]], "windows-1252", "“€”", "windows-1252"),
            ([[0xA4, 0x31], [0xE9]], "iso-8859-15", "€1é", "ISO-8859-15"),
            ([[0xE9, 0x20]], "a b; c", "é ", "windows-1252"),
            ([[0xC3], [0xA9]], "iso-8859-1", "é", nil),
            ([[0xC3], [0xA9]], "iso-8859-2", "é", nil),
            ([[0x61], [0x62]], nil, "ab", nil),
            ([[0xC3, 0xA9], [0xE9, 0x20]], nil, "é\u{FFFD} ", nil),
            ([[0xC3, 0xA9, 0xE9, 0x20], [0xC3, 0xA9]], nil, "é\u{FFFD} é", nil),
            ([[0xC3, 0xA9], [0xE9]], nil, "é\u{FFFD}", nil),
            ([[0xC3, 0xA9], [0xE9, 0x1B]], nil, nil, nil),
            ([[0xE9, 0x20, 0x1B]], "iso-8859-1", nil, nil),
            ([[0xE9, 0x20, 0x81]], "iso-8859-1", nil, nil),
            ([[0xE9, 0x20, 0x9B]], "iso-8859-15", nil, nil),
            ([[0xFF, 0xD8, 0xFF, 0xE0, 0x00]], nil, nil, nil),
        ] as [([[UInt8]], String?, String?, String?)])
    func encodings(chunks: [[UInt8]], charset: String?, text: String?, note: String?) throws {
        let screen = Screen()
        let console = screen.console(isTerminal: true).showing(charset: charset)
        let write = {
            for chunk in chunks { try console.write(chunk) }
            try console.finishText()
        }
        if let text {
            try write()
            #expect(screen.output == text)
            #expect(screen.errors == (note.map { "countersign: the body is not UTF-8, and is shown as \($0)\n" } ?? ""))
        } else {
            #expect(throws: CommandError.self) { try write() }
        }
    }

    @Test(
        "A body with a charset that is not supported is an error with the charset and the way to convert it",
        arguments: [
            ("iso-8859-2", [[0x61, 0xB9, 0x61]]), ("iso-8859-2", [[0xC3, 0xA9], [0xB9, 0x61]]),
            ("windows-1251", [[0x61], [0xE9]]), ("utf-16", [[0xFF, 0xFE, 0x61, 0x00]]), ("utf-16be", [[0x00, 0x61]]),
            ("iso-2022-jp", [[0x1B, 0x24, 0x42]]),
        ] as [(String, [[UInt8]])])
    func otherCharsets(charset: String, chunks: [[UInt8]]) {
        let console = Screen().console(isTerminal: true).showing(charset: charset)
        let error = #expect(throws: CommandError.self) {
            for chunk in chunks { try console.write(chunk) }
            try console.finishText()
        }
        #expect(error?.explanation.message == "The body has the charset \(charset), by its Content-Type.")
        #expect(error?.explanation.advice.contains("'| iconv -f \(charset)'") == true)
    }

    @Test("A pipe receives the bytes in every encoding, and other output must be UTF-8") func otherEncodings() throws {
        let (pipe, terminal) = (Screen(), Screen())
        let console = pipe.console(isTerminal: false).showing(charset: nil)
        try console.write([0xE9])
        try console.finishText()
        #expect(pipe.bytes == [0xE9] && pipe.errors.isEmpty)
        #expect(throws: CommandError.self) { try terminal.console(isTerminal: true).write([0xE9, 0x20]) }
    }

    @Test("The command's own colours and progress bar are retained") func ownSequences() throws {
        let screen = Screen()
        let console = screen.console(isTerminal: true)
        try console.print(Ink.red.paint("no") + "\u{1B}[31;1m\u{1B}")
        console.writeError(ProgressBar.erasure + "50%" + ProgressBar.erasure)
        #expect(screen.output == "\u{1B}[31mno\u{1B}[0m\\u{1b}[31;1m\\u{1b}\n")
        #expect(screen.errors == "\r\u{1B}[K50%\\u{d}\\u{1b}[K")
    }

    @Test("JSON output contains no control characters, and the same values") func json() throws {
        let screen = Screen()
        let value = Self.hostile + "\u{E0041}é\u{7F}"
        try screen.console(isTerminal: true).print(json: [value])
        #expect(screen.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable })
        #expect(try JSONDecoder().decode([String].self, from: Data(screen.bytes)) == [value])
    }

    @Test(
        "A body that is not text is refused on a terminal, however it is divided",
        arguments: [
            [[0x61, 0x1B]], [[0x9B]], [[0xC2, 0x9B]], [[0xC2], [0x9B]], [[0x61, 0x07]], [[0xFF]], [[0xC3], [0x61]],
            [[0xC0, 0x80]], [[0xED, 0xA0, 0x80]], [[0xE2, 0x80], [0x61]], [[0x00]], [[0x7F]],
        ] as [[[UInt8]]])
    func refusedBodies(parts: [[UInt8]]) {
        let console = Screen().console(isTerminal: true)
        #expect(throws: CommandError.self) { for part in parts { try console.write(part) } }
    }

    @Test("A body's invisible characters are escaped, and its text is unchanged", arguments: [1, 2, 3, 5, 100])
    func shownBodies(size: Int) throws {
        let screen = Screen()
        let console = screen.console(isTerminal: true)
        let bytes = Array("Grüße, 日本\t👍🏽\r\n\u{202E}\u{2067}\u{200D}\u{2028}".utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try console.write(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(screen.output == "Grüße, 日本\t👍🏽\r\n\\u{202e}\\u{2067}\\u{200d}\\u{2028}")
    }

    @Test("A body is written unchanged if the output is not a terminal") func pipedBodies() throws {
        let screen = Screen()
        let bytes: [UInt8] = [0x1B, 0x9B, 0xC2, 0x9B, 0xFF, 0x00]
        try screen.console(isTerminal: false).write(bytes)
        #expect(screen.bytes == bytes)
    }

    @Test("No source of the command writes to a standard descriptor without Console") func noBypass() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Commands/CountersignCommand")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        #expect(files.count > 30)
        // The last pattern is the terminal device.
        let bypasses = [
            #/(?:^|[^.\w])(?:debugPrint|print|dump|fputs|puts|fputc|putchar|fwrite|printf|vprintf)\(/#,
            #/FileHandle\.standard/#,
            #/Output\(descriptor: (?:STDOUT_FILENO|STDERR_FILENO|1|2)\b/#, #/"\/dev\/tty"/#,
        ]
        for file in files {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line[...]
                for bypass in bypasses where code.contains(bypass) {
                    Issue.record("\(file):\(number + 1) does not print through Console: \(line)")
                }
            }
        }
    }
}
