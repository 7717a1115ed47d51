// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct TerminalTextTests {
    @Test(
        "Progress is one line",
        arguments: [
            (0, 100 as Int?, 1, "0% [                        ] 0 B of 100 B  0 B/s  0:00 left"),
            (500_000, 1_000_000, 2, "50% [============            ] 500 kB of 1.0 MB  250 kB/s  0:02 left"),
            (3_000_000, nil, 2, "3.0 MB  1.5 MB/s"),
            (1, .max, 10, "0% [                        ] 1 B of 9223372036 GB  0 B/s  over 100 h left"),
            (200, 100, 1, "100% [========================] 200 B of 100 B  200 B/s  0:00 left"),
        ])
    func progress(received: Int, total: Int?, seconds: Int, line: String) {
        #expect(ProgressBar.line(received: received, total: total, elapsed: .seconds(seconds)) == line)
    }

    @Test(
        "A progress line is shorter than the terminal is wide",
        arguments: [
            (81, "50% [============            ] 500 kB of 1.0 MB  250 kB/s  0:02 left"),
            (60, "50% 500 kB of 1.0 MB  250 kB/s  0:02 left"), (30, "50% 0:02 left"), (8, "50%"), (3, "50"), (0, ""),
        ])
    func progressFitsTheTerminal(width: Int, line: String) {
        #expect(
            ProgressBar.line(received: 500_000, total: 1_000_000, elapsed: .seconds(2), width: width) == line)
    }

    @Test(
        "Colour, progress and width follow the terminal",
        arguments: [
            // The columns are the environment, whether the output is a terminal, colour, progress and width.
            (["TERM": "xterm"], true, true, true, 100 as Int?),
            (["TERM": "xterm"], false, false, false, nil),
            (["TERM": "dumb"], true, false, false, 100),
            ([:], true, false, false, 100),
            (["TERM": "xterm", "NO_COLOR": "1"], true, false, true, 100),
            (["TERM": "xterm", "NO_COLOR": ""], true, true, true, 100),
            (["TERM": "xterm", "COLUMNS": "60"], true, true, true, 60),
            (["TERM": "xterm", "COLUMNS": "60"], false, false, false, 60),
            (["TERM": "xterm", "COLUMNS": "wide"], true, true, true, 100),
        ])
    func capabilities(_ environment: [String: String], isTerminal: Bool, color: Bool, progress: Bool, width: Int?) {
        let console = Console(
            write: { _ in }, writeError: { _ in }, environment: environment, outputIsTerminal: isTerminal,
            errorIsTerminal: isTerminal, outputColumns: { 100 }, errorColumns: { 100 })
        #expect(console.usesColor == color)
        #expect(console.showsProgress == progress)
        #expect(console.outputWidth == width)
        #expect(console.errorWidth == width)
    }

    @Test("A terminal without a known width has 80 columns") func defaultWidth() {
        let console = Console(write: { _ in }, writeError: { _ in }, environment: [:], outputIsTerminal: true)
        #expect(console.outputWidth == 80)
        #expect(console.errorWidth == nil)
    }

    @Test(
        "Control characters in a server's text are escaped",
        arguments: [
            ("plain", "plain"), ("a\u{1B}[31mb", "a\\u{1b}[31mb"), ("a\r\nb", "a\\u{d}\\u{a}b"),
            ("\u{202E}gpj.exe", "\\u{202e}gpj.exe"), ("Grüße", "Grüße"), ("a\u{9B}31mb", "a\\u{9b}31mb"),
            ("\u{80}\u{85}\u{9D}\u{9F}", "\\u{80}\\u{85}\\u{9d}\\u{9f}"), ("\u{7F}", "\\u{7f}"),
            ("\u{202A}\u{202B}\u{202D}", "\\u{202a}\\u{202b}\\u{202d}"), ("\u{200E}\u{61C}", "\\u{200e}\\u{61c}"),
            ("\u{2066}a\u{2067}b\u{2068}c\u{2069}", "\\u{2066}a\\u{2067}b\\u{2068}c\\u{2069}"),
            ("a\u{200B}\u{200D}\u{2060}\u{FEFF}b", "a\\u{200b}\\u{200d}\\u{2060}\\u{feff}b"),
            ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"), ("\u{3164}\u{E0041}", "\\u{3164}\\u{e0041}"),
            ("❤\u{FE0F}", "❤\u{FE0F}"), ("日本語", "日本語"),
        ])
    func escaping(text: String, printed: String) {
        #expect(text.printable == printed)
    }

    @Test(
        "A table cell has the exact width", arguments: [("ab", 4, "ab  "), ("abcd", 4, "abcd"), ("abcdef", 4, "abc…")])
    func columns(text: String, width: Int, cell: String) {
        #expect(text.column(width) == cell)
    }
}
