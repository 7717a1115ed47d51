// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CountersignCommand

@Suite("File names that a server or a URL chooses") struct RemoteNameTests {
    @Test(
        "The last segment of a URL's path is the file name if it is harmless",
        arguments: [
            ("http://a.test/b/report.pdf", "report.pdf"), ("http://a.test/r%C3%A9sum%C3%A9.pdf?x=/y#/z", "résumé.pdf"),
            ("http://a.test/a%20b", "a b"), ("http://a.test/archive.tar.gz", "archive.tar.gz"),
        ])
    func good(url: String, name: String) throws {
        #expect(try RemoteName(url: url).text == name)
    }

    @Test(
        "Names with folders, hidden names and misleading names are refused",
        arguments: [
            ("http://a.test", .missing), ("http://a.test/", .missing), ("http://a.test/b/", .missing),
            ("http://a.test/?a", .missing), ("http://a.test/..", .hidden), ("http://a.test/.bashrc", .hidden),
            ("http://a.test/%2E%2e", .hidden), ("http://a.test/..%2Fetc", .separator),
            ("http://a.test/a%2Fb", .separator), ("http://a.test/a%5Cb", .separator), ("http://a.test/a%00b", .control),
            ("http://a.test/a%0Ab", .control), ("http://a.test/a%1B[31m", .control),
            ("http://a.test/a%C2%9Bb", .control), ("http://a.test/%E2%80%AEgpj.exe", .control),
            ("http://a.test/a%FF", .undecodable), ("http://a.test/a%4", .undecodable),
            ("http://a.test/a%+1", .undecodable),
            ("http://a.test/-rf", .reserved), ("http://a.test/~", .reserved), ("http://a.test/NUL", .reserved),
            ("http://a.test/con.txt", .reserved), ("http://a.test/a.", .reserved), ("http://a.test/a%20", .reserved),
            ("http://a.test/a:b", .reserved), ("http://a.test/" + String(repeating: "a", count: 256), .tooLong),
        ] as [(String, RemoteName.Problem)])
    func bad(url: String, fault: RemoteName.Problem) {
        #expect(throws: fault) { try RemoteName(url: url) }
    }

    @Test(
        "Content-Disposition provides the name (RFC 6266)",
        arguments: [
            ("attachment; filename=\"a b.pdf\"", "a b.pdf"), ("attachment; filename=a.pdf", "a.pdf"),
            ("inline;filename = a.pdf ; x=y", "a.pdf"), ("Attachment; FILENAME=\"a.pdf\"", "a.pdf"),
            ("attachment; filename=\"a\\\"b\"", "a\"b"), ("attachment; filename=\"a;b=c\"", "a;b=c"),
            ("attachment; filename=\"e.pdf\"; filename*=UTF-8''%e2%82%ac.pdf", "€.pdf"),
            ("attachment; filename*=iso-8859-1'en'%A3.pdf", "£.pdf"), ("attachment; filename=a.pdf;", "a.pdf"),
            ("attachment; filename*=utf-16''a; filename=b", "b"), ("attachment; filename*=UTF-8''%ff; filename=b", "b"),
            ("attachment; filename=/etc/passwd", "/etc/passwd"),
            ("attachment", nil), ("", nil), ("attachment; filename", nil), ("attachment; filename=\"a", nil),
            ("attachment; filename=a; filename=b", nil), ("attachment filename=a", nil), ("; filename=a", nil),
        ] as [(String, String?)])
    func disposition(value: String, name: String?) {
        #expect(ContentDisposition.fileName(value) == name)
    }
}
