// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import POSIX
import Secrets
import Testing
@testable import Countersign
import EssentialFoundation

/// Cookie jars in files of the Netscape format.
@Suite struct CookieJarFileTests {
    private static func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "cookies-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        try body(file)
    }

    private static func cookies(_ text: String) throws -> [StoredCookie] {
        var cookies: [StoredCookie] = []
        try withFile(text) { cookies = try CookieJar(contentsOf: $0).cookies }
        return cookies
    }

    @Test("A saved jar is read back with the same cookies") func roundTrip() throws {
        let host = try HostName("a.com")
        let cookies = try [
            #require(
                StoredCookie(
                    name: "a", value: Secret("1"), scope: .host(host),
                    expiry: Date(timeIntervalSince1970: 1_900_000_000))),
            #require(
                StoredCookie(
                    name: "b", value: Secret("x=y\tz"), scope: .domain(host), path: "/p", isSecure: false,
                    isHTTPOnly: false)),
            #require(StoredCookie(name: "c", value: Secret(""), scope: .host(try HostName("::1")))),
        ]
        let jar = CookieJar()
        for cookie in cookies { jar.insert(cookie) }
        try Self.withFile("old") { file in
            try #require(chmod(file.path, 0o644) == 0)
            try jar.save(to: file)
            #expect(
                String(decoding: try Data(contentsOf: file), as: UTF8.self) == """
                    # Netscape HTTP Cookie File
                    #HttpOnly_a.com\tFALSE\t/\tTRUE\t1900000000\ta\t1
                    .a.com\tTRUE\t/p\tFALSE\t0\tb\tx=y\tz
                    #HttpOnly_::1\tFALSE\t/\tTRUE\t0\tc\t

                    """)
            #expect(FileState(path: file.path)?.permissions == 0o600)
            #expect(try CookieJar(contentsOf: file).cookies == cookies)
        }
    }

    @Test(
        "An expiry is saved in whole seconds, and never as that of a cookie without one",
        arguments: [
            (1_900_000_000.5, "1900000001"), (Double.infinity, "\(Int.max)"), (1e300, "\(Int.max)"),
        ])
    func expiry(time: Double, text: String) throws {
        let jar = CookieJar()
        jar.insert(
            try #require(
                StoredCookie(
                    name: "a", value: Secret("1"), scope: .host(.localhost),
                    expiry: Date(timeIntervalSince1970: time))))
        try Self.withFile("") { file in
            try jar.save(to: file)
            #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\t\(text)\ta\t1\n"))
            #expect(try CookieJar(contentsOf: file).cookies.count == 1)
        }
    }

    @Test("An expired cookie is not read") func expired() throws {
        #expect(try Self.cookies("a.com\tFALSE\t/\tFALSE\t1\tn\tv\n").isEmpty)
    }

    @Test("Cookie files of other programs are read") func otherPrograms() throws {
        let text = "# Comment\r\n\r\n#a.com\tno line\n.a.com\ttrue\t/\tfalse\t0\tn\tv\r\nb.com\tTRUE\t/\tFALSE\t0\tn\tv"
        #expect(try Self.cookies(text).map(\.description) == ["n for *.a.com/", "n for *.b.com/"])
    }

    @Test(
        "The error for a malformed line names the file and the line",
        arguments: [
            "a.com\tFALSE\t/\tFALSE\t0\tn", "a.com FALSE / FALSE 0 n v", "a.com\tMAYBE\t/\tFALSE\t0\tn\tv",
            "a.com\tFALSE\t/\tFALSE\tsoon\tn\tv", "\tFALSE\t/\tFALSE\t0\tn\tv", "a.com\tFALSE\tp\tFALSE\t0\tn\tv",
            "a.com\tFALSE\t/\tFALSE\t0\t\tv", "a.com\tFALSE\t/\tFALSE\t0\tn\tv;w",
            "a.com\tFALSE\t/\tFALSE\t0\t__Secure-n\tv",
        ])
    func malformedLines(line: String) throws {
        try Self.withFile("# one\n\n\(line)\n") { file in
            #expect {
                try CookieJar(contentsOf: file)
            } throws: { error in
                guard case SessionError.file(.malformedCookies(file.path, line: 3)) = error else { return false }
                return true
            }
        }
    }

    @Test("A missing file, a missing folder, a folder and a device are errors, and a link is followed") func places()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "jar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (jar, file, link) = (CookieJar(), folder.appending(path: "jar"), folder.appending(path: "link"))
        let failures: [(FileError, () throws -> Void)] = [
            (.failed(path: file.path, .read, code: ENOENT), { _ = try CookieJar(contentsOf: file) }),
            (.failed(path: folder.path, .read, code: EISDIR), { _ = try CookieJar(contentsOf: folder) }),
            (.failed(path: "/none/jar", .write, code: ENOENT), { try jar.save(to: URL(filePath: "/none/jar")) }),
            (.notRegular(path: folder.path), { try jar.save(to: folder) }),
            (.notRegular(path: "/dev/null"), { try jar.save(to: URL(filePath: "/dev/null")) }),
        ]
        for (expected, use) in failures {
            #expect {
                try use()
            } throws: { error in
                if case SessionError.file(expected) = error { true } else { false }
            }
        }
        try jar.save(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try jar.receive("a=1; Max-Age=60", from: "https://a.example/")
        try jar.save(to: link)
        #expect(try CookieJar(contentsOf: file).cookies.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["jar", "link"])
    }
}
