// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Secrets
import Testing

@Suite struct NetrcTests {
    /// A file, the requesting host, and the expected credential as `user:password`, or `nil` for none.
    struct Row: Sendable {
        let file: String
        var host = "a.test"
        var login: String?
        var usesDefault = true
        let given: String?
    }

    static let rows: [Row] = [
        Row(file: "machine a.test login mary password secret", given: "mary:secret"),
        Row(file: "MACHINE A.TEST\n\tLogin mary\r\n\tPASSWORD secret\n", given: "mary:secret"),
        Row(file: "\u{FEFF}# mine\nmachine a.test password secret login mary account x", given: "mary:secret"),
        Row(file: "machine b.test login mary password secret", given: nil),
        Row(file: "machine test login mary password secret", given: nil),
        Row(file: "machine 127.0.0.1 login mary password secret", host: "127.0.0.1", given: "mary:secret"),
        // Quoted and escaped tokens
        Row(file: #"machine a.test login "m a" password "s\"\\\n\r\t\x #""#, given: "m a:s\"\\\n\r\tx #"),
        Row(file: #"machine a.test login m\a password s"t"#, given: #"m\a:s"t"#),
        Row(file: "machine a.test login #m password #s", given: "#m:#s"),
        Row(file: "machine a.test login m password\n#s\ns", given: "m:s"),
        Row(file: "machine a.test login machine password default", given: "machine:default"),
        Row(file: "macdef init\nmachine a.test login x password y\n\nmachine a.test login m password s", given: "m:s"),
        Row(file: "machine a.test login m password s macdef init\r\nlogin x\r\n\r\nmachine b.test", given: "m:s"),
        Row(file: "macdef init\nmachine a.test login x password y\n", given: nil),
        // A missing password differs from an empty one.
        Row(file: #"machine a.test login m password """#, given: "m:"),
        Row(file: "machine a.test login m", given: nil),
        Row(file: "machine a.test password s", given: ":s"),
        // A given login selects its entry (CVE-2026-8926), and logins are case-sensitive.
        Row(file: "machine a.test login m password s machine a.test login n password t", given: "m:s"),
        Row(file: "machine a.test login m password s machine a.test login n password t", login: "n", given: "n:t"),
        Row(file: "machine a.test login m password s machine a.test login n password t", login: "N", given: nil),
        Row(file: "machine a.test login m password s", login: "", given: nil),
        Row(file: "machine a.test password s", login: "m", given: "m:s"),
        Row(file: "default login m password s", login: "n", given: nil),
        Row(file: "default password s", login: "n", given: "n:s"),
        // No entry uses another entry's password (CVE-2024-11053, CVE-2025-0167, CVE-2026-6429).
        Row(file: "machine a.test login m machine b.test login n password t", given: nil),
        Row(file: "machine a.test login m default login n password t", given: nil),
        Row(file: "machine a.test default login n password t", given: nil),
        Row(file: "machine a.test login m password s default login n password t", login: "n", given: nil),
        Row(file: "machine a.test login m machine a.test login n password t", login: "m", given: nil),
        Row(file: "machine b.test login m password s default", given: nil),
        Row(file: "machine b.test login m password s default login n", given: nil),
        // The default entry is for hosts without an entry, whatever its position, and only if the caller allows it.
        Row(file: "machine b.test login m password s default login n password t", given: "n:t"),
        Row(file: "default login n password t machine a.test login m password s", given: "m:s"),
        Row(file: "default login n password t", usesDefault: false, given: nil),
        Row(file: "", given: nil),
        // A machine in another script and a host in ASCII, both ways; a name that only looks the same is another one.
        Row(file: "machine xn--bcher-kva.test login m password s", host: "xn--bcher-kva.test", given: "m:s"),
        Row(file: "machine b\u{FC}cher.test login m password s", host: "xn--bcher-kva.test", given: "m:s"),
        Row(file: "machine B\u{DC}CHER.Test. login m password s", host: "XN--BCHER-KVA.test", given: "m:s"),
        Row(file: "machine b\u{FC}cher\u{3002}test login m password s", host: "xn--bcher-kva.test", given: "m:s"),
        Row(
            file: "machine stra\u{DF}e.xn--bcher-kva.test login m password s",
            host: "xn--strae-oqa.xn--bcher-kva.test", given: "m:s"),
        Row(file: "machine bu\u{308}cher.test login m password s", host: "xn--bcher-kva.test", given: nil),
        Row(file: "machine b\u{FC}cher.test login m password s", host: "bucher.test", given: nil),
        Row(file: "machine b\u{FC}cher.test login m password s", host: "xn--bucher-xyd.test", given: nil),
        Row(file: "machine b\u{FC}cher.test default login n password t", host: "xn--bcher-kva.test", given: nil),
    ]

    @Test("Each host and login gets the credential of its own entry", arguments: rows)
    func lookup(row: Row) throws {
        let file = try NetrcFile(Array(row.file.utf8))
        let credential = file.credential(
            for: try HostName(row.host), login: row.login, usesDefault: row.usesDefault)
        let expected = row.given.map { given in
            let parts = given.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return Credential.password(user: parts[0], password: Secret(parts[1]))
        }
        #expect(credential == expected)
    }

    @Test(
        "The error for a malformed file states the line",
        arguments: [
            ("login m", NetrcError.outsideEntry(.login, line: 1)),
            ("\n\npassword s", .outsideEntry(.password, line: 3)),
            ("machine", .missingValue(.machine, line: 1)),
            ("machine a.test\nlogin", .missingValue(.login, line: 2)),
            ("machine a.test login m password", .missingValue(.password, line: 1)),
            ("machine a.test login m password my secret", .unexpectedWord(line: 1)),
            ("machine a.test\nlogin m # mine", .unexpectedWord(line: 2)),
            ("machine a.test login m password \"my\"secret", .unexpectedWord(line: 1)),
            ("machine a.test \"login\" m", .unexpectedWord(line: 1)),
            ("machine a.test login m\npassword \"my\nsecret\"", .unterminatedString(line: 2)),
            ("machine a.test login m password \"my\\", .unterminatedString(line: 1)),
            ("machine a.test login m password s login n", .repeated(.login, line: 1)),
            ("machine a.test login m password s password t", .repeated(.password, line: 1)),
        ])
    func malformed(file: String, error: NetrcError) {
        #expect(throws: error) { try NetrcFile(Array(file.utf8)) }
    }

    @Test("A file that is not UTF-8 or too large is refused") func refused() throws {
        #expect(throws: NetrcError.notUTF8(line: 1)) { try NetrcFile(Array("machine a.test login ".utf8) + [0xFF]) }
        let limit = NetrcFile.sizeLimit
        #expect(try NetrcFile([UInt8](repeating: 0x20, count: limit)).entries.isEmpty)
        #expect(throws: NetrcError.tooLarge(limit: limit)) {
            try NetrcFile([UInt8](repeating: 0x20, count: limit + 1))
        }
    }

    @Test("Printing a file does not reveal its passwords") func description() throws {
        let file = try NetrcFile(Array("machine a.test login mary password hunter2".utf8))
        var dumped = ""
        dump(file, to: &dumped)
        #expect(!dumped.contains("hunter2") && !"\(file)".contains("hunter2"))
    }

    @Test("Changed and truncated files do not trap the parser") func mutations() {
        let seed = Array("machine a.test login \"m\\n\" password s\nmacdef x\ny\n\n#c\ndefault account z".utf8)
        for index in seed.indices {
            for byte in [0x00, 0x0A, 0x0D, 0x20, 0x22, 0x23, 0x5C, 0xFF] as [UInt8] {
                var changed = seed
                changed[index] = byte
                _ = try? NetrcFile(changed)
            }
            _ = try? NetrcFile(Array(seed[..<index]))
        }
    }

    /// A challenge and the expected login of the credential.
    struct Query: Sendable {
        var host = "a.test"
        var port = 443
        var scheme = "https"
        var role = ProtectionSpace.Role.origin
        var failures = 0
        var ports = NetrcHandler.Ports.standard
        var allowsPlainHTTP = false
        let given: String?
    }

    @Test(
        "An entry applies to its host over TLS at port 443, and otherwise only if that is explicitly allowed",
        arguments: [
            Query(given: "m"),
            Query(scheme: "http", given: nil),
            Query(role: .proxy, given: nil),
            Query(failures: 1, given: nil),
            Query(host: "start.test", given: "n"),
            Query(host: "evil.test", given: nil),  // the target of a redirect
            Query(port: 8443, given: nil),
            Query(port: 8443, ports: .standardAnd([8443]), given: "m"),
            Query(port: 9443, ports: .standardAnd([8443]), given: nil),
            Query(ports: .standardAnd([8443]), given: "m"),
            Query(port: 9443, ports: .every, given: "m"),
            Query(host: "start.test", port: 8443, given: nil),
            Query(port: 80, scheme: "http", ports: .every, given: nil),
            Query(port: 80, scheme: "http", allowsPlainHTTP: true, given: "m"),
            Query(port: 443, scheme: "http", allowsPlainHTTP: true, given: nil),
            Query(port: 8080, scheme: "http", allowsPlainHTTP: true, given: nil),
            Query(port: 8080, scheme: "http", ports: .standardAnd([8080]), allowsPlainHTTP: true, given: "m"),
        ])
    func binding(query: Query) async throws {
        let file = try NetrcFile(Array("machine a.test login m password s default login n password t".utf8))
        let handler: any ChallengeHandler = .netrc(
            file, defaultHost: try HostName("start.test"), ports: query.ports, allowsPlainHTTP: query.allowsPlainHTTP)
        let space = ProtectionSpace(
            host: try HostName(query.host), port: query.port, scheme: query.scheme, realm: "r", method: .basic,
            role: query.role)
        let challenge = Challenge(
            space: space, failureCount: query.failures,
            proposedCredential: query.failures == 0 ? nil : .password(user: "m", password: Secret("s")),
            statement: .http(HTTPChallenge(method: .basic)))
        guard case .use(let credential) = try await handler.answer(challenge) else {
            #expect(query.given == nil)
            return
        }
        #expect(credential == query.given.map { .password(user: $0, password: Secret($0 == "m" ? "s" : "t")) })
    }
}
