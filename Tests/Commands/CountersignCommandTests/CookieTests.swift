// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ChallengeLab
import HTTPTypes
import TestServer
import Testing

@testable import CountersignCommand

/// Tests of cookies from the command line and from files.
@Suite struct CookieTests {
    /// Runs a closure with a server that sets a cookie, and with a function that returns the received cookies.
    private static func withSetter(_ body: (String, () -> [String?], Folder) async throws -> Void) async throws {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log) { _ in
            .init(.ok, [.setCookie: "set=hunter2; Max-Age=1000"], body: "a page")
        }
        let sent = { log.requests.map { $0.head.headerFields[.cookie] } }
        do {
            try await body("http://localhost:\(server.port)/", sent, try Folder())
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test("A cookie file is read in the next run, and is written only with -c") func jar() async throws {
        try await Self.withSetter { url, sent, home async throws in
            let jar = home.file("jar")
            for _ in 0..<2 {
                let run = try await CommandRun(["get", url, "-b", jar, "-c", jar], home: home)
                #expect(run.status == .done, "\(run.errors)")
                #expect(run.errors.isEmpty)
            }
            #expect(sent() == [nil, "set=hunter2"])
            #expect(home.mode(of: "jar") == 0o600)
            let text = String(decoding: try #require(home.contents(of: "jar")), as: UTF8.self)
            #expect(text.hasPrefix("# Netscape HTTP Cookie File\nlocalhost\tFALSE\t/\tFALSE\t"), "\(text)")
            #expect(text.hasSuffix("\tset\thunter2\n"))
            // Without -c the file is not changed.
            _ = try await CommandRun(["get", url, "--cookie", jar], home: home)
            #expect(sent().last == "set=hunter2")
            #expect(home.contents(of: "jar") == Array(text.utf8))
        }
    }

    @Test("Cookies from the command line are sent to the host of the URL") func pairs() async throws {
        try await Self.withSetter { url, sent, home async throws in
            let arguments = ["get", url, "-b", "a=1; b=2", "--cookie", "c=3", "-H", "Cookie: d=4"]
            let run = try await CommandRun(arguments, home: home)
            #expect(sent() == ["d=4; a=1; b=2; c=3"])
            #expect(run.errors.contains("use -b FILE"))
        }
    }

    @Test("A cookie file that cannot be used is named in the error") func unusableFiles() async throws {
        try await Self.withSetter { url, sent, home async throws in
            let missing = try await CommandRun(["get", url, "-b", home.file("missing")], home: home)
            #expect(missing.status == .failed)
            #expect(missing.errors.contains("\(home.file("missing")) cannot be read"), "\(missing.errors)")
            let bad = try await CommandRun(["get", url, "-b", home.write("no cookies\n", to: "bad")], home: home)
            #expect(bad.status == .failed)
            #expect(
                bad.errors.contains("\(home.file("bad")): Line 1 of the cookie file is not a cookie."), "\(bad.errors)")
            #expect(sent().isEmpty)
            let unwritable = try await CommandRun(["get", url, "-c", home.file("no/jar")], home: home)
            #expect(unwritable.status == .failed)
            #expect(unwritable.errors.contains(home.file("no/jar")), "\(unwritable.errors)")
        }
    }
}
