// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Challenges
import CommandSupport
import Countersign
import EssentialFoundation
import POSIX

/// The options for cookies.
struct CookieOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Keep the cookies that servers set, and send them back.",
            discussion:
                "For this one run, through its redirects, challenges and retries, unless --cookie-jar keeps them."))
    var cookies = false

    @Option(
        name: [.customShort("b"), .long],
        help: ArgumentHelp(
            "Cookies to send: name=value to the URL's host, or those of a file in Netscape's format; repeatable.",
            discussion: """
                Several are separated by semicolons. A value without '=' is a file, whose cookies are sent to their own hosts; \
                cookies that servers set are then kept as with --cookies. A missing file is an error, unless it is the one \
                of --cookie-jar.
                """, valueName: "name=value|file"))
    var cookie: [String] = []

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp(
            "Keep the cookies, and write them to this file at the end, in Netscape's format.",
            discussion:
                "'-' is standard output. A cookie can be worth as much as a password: the file is readable by its owner alone.",
            valueName: "file"))
    var cookieJar: String?

    /// - Throws: ``UsageError/forbiddenCharacter(_:)``.
    func checkLineBreaks() throws(UsageError) {
        let isClean = cookie.allSatisfy(\.isOneLine)
        guard isClean else { throw .forbiddenCharacter("--cookie") }
    }

    /// The cookies that are sent only to the URL's host; `nil` if there are none.
    var field: String? {
        let pairs = cookie.filter { $0.contains("=") }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    private var files: [String] { cookie.filter { !$0.contains("=") } }

    /// - Returns: The cookie jar, or `nil` if no option stores cookies.
    /// - Throws: ``FileError``, ``SessionError``.
    func jar() throws -> CookieJar? {
        guard cookies || cookieJar != nil || !files.isEmpty else { return nil }
        let jar = CookieJar()
        for path in files where path != cookieJar || access(path, F_OK) == 0 {
            try jar.insert(contents: try InputFile.read(path), of: path)
        }
        return jar
    }

    /// Writes the cookies of the jar to the file of `--cookie-jar`, if it was given.
    func keep(_ jar: CookieJar?, on console: Console) throws {
        guard let cookieJar, let jar else { return }
        let state = OutputTarget(cookieJar).state
        // The replacement of another user's file is reported, and a pipe or a device is written to.
        if cookieJar == "-" || state.map({ !$0.isRegular || $0.owner != UInt32(geteuid()) }) ?? false {
            let text = String(decoding: jar.fileContents, as: UTF8.self)
            try OutputDestination(cookieJar).write(text, on: console, mode: 0o600)
        } else {
            try jar.save(to: URL(filePath: cookieJar))
        }
    }
}
