// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@Suite struct Secrets {
    static let text = "hunter2-Ünïcode"

    private struct Holder {
        let user = "alice"
        let password = Secret(Secrets.text)
        let maybe: Secret? = Secret(Secrets.text)
    }

    private enum Choice { case password(Secret), labelled(value: Secret) }

    private struct Failure: Error { let password = Secret(Secrets.text) }

    /// Covers each conversion of a value to text in Swift, for the secret alone and inside other values.
    @Test("Printing a secret, alone or inside other values, does not reveal it") func description() {
        let secret = Secret(Self.text)
        let values: [Any] = [
            secret, Optional(secret) as Any, [secret], ["key": secret], [secret: 1], Set([secret]), (secret, "x"),
            Holder(),
            Choice.password(secret), Choice.labelled(value: secret), Failure(), Result<Secret, Failure>.success(secret),
            [Holder()], Mirror(reflecting: Holder()), CollectionOfOne(secret),
        ]
        let shown = Self.text.utf8.map(String.init).joined(separator: ", ")
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), "\(value)", dumped] {
                #expect(!text.contains("hunter2"))
                #expect(!text.contains(shown))
            }
        }
        #expect(secret.description == "<redacted>")
        #expect(secret.debugDescription == "<redacted>")
        #expect("\(secret)" == "<redacted>")
        #expect(String(reflecting: secret) == "<redacted>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect("\([secret])" == "[<redacted>]")
    }

    @Test(
        "Secrets are equal if their bytes are",
        arguments: [
            ("", "", true), ("a", "a", true), (text, text, true),
            ("", "a", false), ("a", "", false), ("a", "b", false), ("aa", "a", false), ("a", "a\0", false),
            ("\u{e9}", "e\u{301}", false),  // equal strings in Swift, but different bytes for a server
        ])
    func equality(left: String, right: String, areEqual: Bool) {
        #expect((Secret(left) == Secret(right)) == areEqual)
        if areEqual { #expect(Secret(left).hashValue == Secret(right).hashValue) }
    }

    @Test("The hash of a secret depends on its length only") func hash() {
        #expect(Secret("aaaa").hashValue == Secret("bbbb").hashValue)
    }

    @Test(
        "The bytes of a secret are its text in UTF-8",
        arguments: ["", "a", text, String(repeating: "x", count: 10_000)])
    func utf8(text: String) {
        let fromText = Secret(text)
        #expect(fromText.withUnsafeBytes { Array($0) } == Array(text.utf8))
        #expect(fromText == Secret(utf8: Array(text.utf8)))
        #expect(fromText.isEmpty == text.isEmpty)
    }

    @Test("A secret may hold bytes that are not text") func otherBytes() {
        let bytes: [UInt8] = [0xff, 0x00, 0xfe]
        #expect(Secret(utf8: bytes).withUnsafeBytes { Array($0) } == bytes)
    }
}
