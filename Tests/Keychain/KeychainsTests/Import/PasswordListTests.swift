// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import Secrets
import Testing
@testable import Keychains
import EssentialFoundation

@Suite struct PasswordListTests {
    struct Export: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let header: String
        let line: String
        var realm: String?
        var title = "Shop"
        var note = "a note"
    }

    /// The columns that each program writes, according to its documentation or source code.
    static let exports = [
        Export(
            testDescription: "Chrome and Edge", header: "name,url,username,password,note",
            line: "Shop,https://shop.example/,mary,pa\"\"ss,a note"),
        Export(
            testDescription: "Firefox",
            header:
                #""url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged""#,
            line: #""https://shop.example/","mary","pa""""ss","a realm",,"{1}","1","2","3""#, realm: "a realm",
            title: "",
            note: ""),
        Export(
            testDescription: "Safari and Apple Passwords", header: "Title,URL,Username,Password,Notes,OTPAuth",
            line: #"Shop,https://shop.example/,mary,"pa""""ss",a note,"#),
        Export(
            testDescription: "1Password", header: "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes",
            line: #"Shop,https://shop.example/,mary,"pa""""ss",,false,false,,a note"#),
        Export(
            testDescription: "Bitwarden",
            header:
                "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp",
            line: #",,login,Shop,a note,,0,https://shop.example/,mary,"pa""""ss","#),
        Export(
            testDescription: "KeePassXC",
            header: #""Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created""#,
            line: #""Root","Shop","mary","pa""""ss","https://shop.example/","a note","","0","2026","2026""#),
        Export(
            testDescription: "LastPass", header: "url,username,password,totp,extra,name,grouping,fav",
            line: #"https://shop.example/,mary,"pa""""ss",,a note,Shop,,0"#),
    ]

    @Test("The columns of each program's export are known", arguments: exports, ["\n", "\r\n"])
    func exporter(_ export: Export, end: String) throws {
        let list = try PasswordList((export.header + end + export.line + end).utf8)
        let login = try #require(list.logins.first)
        #expect(list.logins.count == 1 && list.skippedLines.isEmpty)
        #expect(login.title == export.title && login.url == "https://shop.example/" && login.user == "mary")
        #expect(login.password == Secret("pa\"\"ss"))
        #expect(login.realm == export.realm && login.note == export.note && login.line == 2)
    }

    @Test("A field may contain commas, quotes and line breaks, and its line is reported")
    func quoted() throws {
        let text = "\u{FEFF}password,username\r\n\"a,\"\"b\"\"\r\nc\",mary\r\n\r\nx,y"
        let list = try PasswordList(text.utf8)
        #expect(list.logins.map(\.password) == [Secret("a,\"b\"\r\nc"), Secret("x")])
        #expect(list.logins.map(\.line) == [2, 5])
    }

    @Test(
        "Unread columns with values are reported, with the number of lines",
        arguments: [
            (
                header: "Title,Url,Username,Password,OTPAuth,Favorite,Tags,Notes", line: "a,u,m,p,otp,false,x,n",
                unread: ["OTPAuth", "Tags"]
            ),
            (
                header: "url,username,password,totp,extra,name,grouping,fav", line: "u,m,p,,n,a,Web,1",
                unread: ["grouping", "fav"]
            ),
            (
                header: "url,username,password,httpRealm,formActionOrigin,guid,timeCreated", line: "u,m,p,r,f,{1},5",
                unread: []
            ),
            (header: "password,kind,method", line: "p,k,m", unread: ["kind", "method"]),
        ])
    func unreadColumns(header: String, line: String, unread: [String]) throws {
        let list = try PasswordList("\(header)\n\(line)\n\(line)\n".utf8)
        #expect(list.unreadColumns.map(\.name) == unread)
        #expect(list.unreadColumns.allSatisfy { $0.lineCount == 2 })
    }

    @Test("Times in Firefox's format and in RFC 3339 are read") func times() throws {
        let firefox = try PasswordList("password,timeCreated,timePasswordChanged\np,1000,1800000000000\n".utf8).logins
        #expect(firefox.map(\.created) == [Date(timeIntervalSince1970: 1)])
        #expect(firefox.map(\.modified) == [Date(timeIntervalSince1970: 1_800_000_000)])
        let other = try PasswordList("password,Created,Last Modified\np,2027-01-15T08:00:00Z,none\n".utf8).logins
        #expect(other.map(\.created) == [Date(timeIntervalSince1970: 1_800_000_000)])
        #expect(other.map(\.modified) == [nil])
    }

    @Test("A line without a password is skipped and reported")
    func skipped() throws {
        let list = try PasswordList("name,password\nnote,\nlogin,p\n".utf8)
        #expect(list.logins.map(\.title) == ["login"])
        #expect(list.skippedLines == [2])
    }

    @Test(
        "A malformed file is refused with the line",
        arguments: [
            ("", PasswordListError.noPasswordColumn), ("url,username\nx,y\n", .noPasswordColumn),
            ("password,url\n\"a,b\n", .unclosedQuote(line: 2)),
            ("password,url\na,b\nc\n", .wrongFieldCount(line: 3, found: 1, expected: 2)),
        ])
    func broken(text: String, error: PasswordListError) {
        #expect(throws: error) { try PasswordList(text.utf8) }
    }

    @Test("Each error describes the problem and possible remedies")
    func errors() { #expect(problems(of: PasswordListError.examples).isEmpty) }
}
