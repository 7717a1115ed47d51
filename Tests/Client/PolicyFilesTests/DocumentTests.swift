// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import PolicyFiles
import Testing

@Suite struct DocumentTests {
    private let reading: Reading

    init() throws { reading = try Reading() }

    static let rubbish: [(text: String, error: String)] = [
        ("version: 1\ndomains:\n\ta: {}", "3:1  syntax(\"found character that cannot start any token\")"),
        ("version: 1\n a: b: c", "2:3  syntax(\"mapping values are not allowed in this context\")"),
        ("version: 1\n---\nversion: 1", "2:1  syntax(\"there is another document\")"),
        ("version: 1\nä\u{0}: 1", "2:2  syntax(\"control characters are not allowed\")"),
        ("version: \"1", "1:12  syntax(\"found unexpected end of stream\")"),
        ("version: 1\ndefault: *v", "2:10  unknownAlias(\"v\")"),
        ("version: 1\ndefault: &v {pins: *v}", "2:20  unknownAlias(\"v\")"),
        ("version: 1\ndefault: &v {}\ndomains: {a: &v [*v]}", "3:18  unknownAlias(\"v\")"),
        ("version: !!str 1", "1:10  unsupportedYAML(Feature.tag)"),
        ("? [version]\n: 1", "1:3  wrongShape(expected: Shape.text)"),
        ("[version]: 1", "1:1  wrongShape(expected: Shape.text)"),
        ("'<<': {}\nversion: 1", "1:1 \"<<\" unknownKey(\"<<\", nearest: nil, \(SchemaTests.topKeys))"),
        ("<<: 1\nversion: 1", "1:5  wrongShape(expected: Shape.mapping)"),
        ("<<: {}\n<<: {}\nversion: 1", "2:1 \"<<\" duplicateKey(\"<<\")"),
    ]

    @Test("YAML that a policy file does not support is refused at its position", arguments: rubbish)
    func refused(text: String, error: String) {
        #expect(reading.error(text) == error)
    }

    @Test("Aliases repeat values, and << merges mappings, in which own keys and earlier mappings have precedence")
    func aliases() throws {
        let policies = try reading.file(
            """
            version: 1
            default: {methods: &methods [ntlm, digest]}
            domains:
              a.test: &strict
                minimum-tls: &latest "1.3"
                plain-http: &never forbidden
                anchors: {only: [&file root.pem]}
              b.test: {<<: *strict, plain-http: allowed, methods: *methods}
              c.test: {<<: [{minimum-tls: "1.2"}, *strict], anchors: {add: [*file]}}
              d.test: *strict
              e.test: {minimum-tls: *latest, plain-http: *never}
            """
        ).policies
        let found = try ["a.test", "b.test", "c.test", "d.test", "e.test"].map { name in
            policies.policy(for: try HostName(name))
        }
        #expect(found.map(\.minimumTLSVersion) == [.tls13, .tls13, .tls12, .tls13, .tls13])
        #expect(found.map(\.allowsPlainHTTP) == [false, true, false, false, false])
        #expect(found[0] == found[3])
        #expect(found[2].trust.anchors == .systemAnd([reading.root]))
        #expect(found[1].methods == policies.fallback.methods)
    }

    @Test("A mistake in a value that aliases repeat is reported once") func aliasedMistake() {
        let text = "version: 1\ndomains:\n  a: &a {colour: red}\n  b: *a\n  c: {<<: *a}"
        #expect(reading.errors(text).count == 1)
    }

    @Test(
        "Aliases of aliases cannot grow without limit",
        arguments: [
            "[*%, *%, *%, *%, *%, *%, *%, *%, *%, *%]", "{a: *%, b: *%, c: *%, d: *%, e: *%, f: *%, g: *%, h: *%}",
        ])
    func manyAliases(level: String) {
        var text = "version: 1\ndefault:\n  l0: &l0 [lol]\n"
        for depth in 1..<30 {
            text += "  l\(depth): &l\(depth) " + level.replacing("%", with: "l\(depth - 1)") + "\n"
        }
        let clock = ContinuousClock()
        let time = clock.measure { #expect(reading.error(text).hasSuffix("expandedTooFar(limit: 100000)")) }
        #expect(time < .seconds(2))
        // A chain of aliases nests more deeply with each one.
        let deep = (1..<100).map { "  m\($0): &m\($0) [*m\($0 - 1)]\n" }.joined()
        #expect(reading.error("version: 1\ndefault:\n  m0: &m0 []\n" + deep).contains("nestedTooDeeply"))
    }

    @Test(
        "Bytes that are not UTF-8 and files that are too large are refused",
        arguments: [
            (bytes: Array("version: 1\nä".utf8) + [0xFF], spaces: 0, error: "2:2  notUTF8"),
            ([0xC3], 0, "1:1  notUTF8"),
            ([0xFF, 0xFE, 0x76, 0x00], 0, "1:1  notUTF8"),
            // The number of spaces replaces a large argument, which the test would print.
            ([], (1 << 20) + 1, "1:1  tooLarge(limit: 1048576)"),
        ])
    func bytes(bytes: [UInt8], spaces: Int, error: String) {
        #expect(reading.error(bytes + Array(repeating: 0x20, count: spaces)) == error)
    }

    /// Texts that nest collections more deeply with each repetition, mostly hidden by quotes or comments.
    static let nestings = [
        "[ ", "{a: ", "- ", "[ \"] \", ", "[ #]\n", "[#]\n", "[ ''']''', ", "[ \"\\\"]\", ", "[ a '] ', [ '] ', ",
        "{:\"}\",", "{a:\"}\", b ", "[ !a] , ", "[\n\"a\n]", "[ -\"] \", ", "? ", "[?", "- \u{2028} - ", "[ a\n '] ', ",
        "[ a:#] b\n, ", "[ a 'b, ' ] ', c' , ", "[ 'a\n ] b', \n", "[ \"a]\n\", ",
    ]

    @Test("Deep nesting is refused", arguments: nestings, [1, 60, 10_000])
    func nesting(nest: String, count: Int) {
        for start in ["", "version: 1\ndefault: ", "- a: \"[ '\"\n- ", "# '\n- ", "a: |\n '\n- "] {
            let text = start + String(repeating: nest, count: min(count, 1_000_000 / nest.utf8.count))
            let error = reading.error(text)
            #expect(error != "read")
        }
    }

    @Test("Closed brackets do not count toward the nesting limit") func closedBrackets() throws {
        let domain = """
              d%: {anchors: {only: ["root.pem", 'root.pem', root.pem]}, plain-http: forbidden}  # it's "fine"
              e%:
                anchors: {
                  only: [
                    root.pem,  # don't
                    "root.pem"
                  ]
                }

            """
        let domains = (0..<200).map { domain.replacing("%", with: "\($0).test") }.joined()
        let file = try reading.file("version: 1\n# R&D says: what? [1]\ndomains:\n" + domains)
        #expect(file.policies.entries.count == 400)
    }

    @Test("Truncated and changed files do not trap the parser") func mutations() throws {
        let text = Array("version: 1\ndomains:\n  a.test: {pins: {any: ['\(Reading.pin)'], until: 2027-01-31}}\n".utf8)
        _ = try reading.file(text)
        for length in text.indices { _ = reading.error(Array(text[..<length])) }
        for index in text.indices {
            for byte in [0x00, 0x09, 0x22, 0x23, 0x27, 0x2D, 0x3A, 0x5B, 0x5D, 0x7B, 0x7C, 0x85, 0xC2, 0xFF] as [UInt8]
            {
                var changed = text
                changed[index] = byte
                _ = reading.error(changed)
            }
        }
    }
}
