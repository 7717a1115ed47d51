// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Secrets
import Testing
import WSSecurity

@Suite struct UsernameTests {
    private static let verifier = UsernameVerifier(passwords: ["ann & \"bob\"": Secret("pa<ss>&w\u{f6}rd")])

    private static func sent(
        _ form: UsernameToken.Form, password: String = "pa<ss>&w\u{f6}rd", user: String = "ann & \"bob\""
    ) async throws -> [UInt8] {
        try await MessageSecurity.usernameToken(user: user, password: Secret(password), form: form)
            .secure(Messages.envelope(), at: Messages.time)
    }

    @Test("A user's password is verified in the accepted forms") func forms() async throws {
        for form in UsernameToken.Form.allCases {
            let sent = try await Self.sent(form)
            var verifier = Self.verifier
            verifier.forms = [form]
            var replays = ReplayCache()
            #expect(try verifier.verify(sent, at: Messages.time, replays: &replays) == "ann & \"bob\"")
            verifier.forms = []
            #expect(throws: WSSecurityError.wrongPassword) {
                try verifier.verify(sent, at: Messages.time, replays: &replays)
            }
        }
    }

    @Test(
        "A wrong password and an unknown user have the same error",
        arguments: [("ann & \"bob\"", "other"), ("eve", "pa<ss>&w\u{f6}rd"), ("eve", "")])
    func wrong(user: String, password: String) async throws {
        for form in UsernameToken.Form.allCases {
            var verifier = Self.verifier
            verifier.forms = [form]
            var replays = ReplayCache()
            let sent = try await Self.sent(form, password: password, user: user)
            #expect(throws: WSSecurityError.wrongPassword) {
                try verifier.verify(sent, at: Messages.time, replays: &replays)
            }
        }
    }

    @Test("A digest is accepted once, within its lifetime") func replays() async throws {
        let sent = try await Self.sent(.digest)
        var replays = ReplayCache()
        #expect(throws: WSSecurityError.stale(created: Messages.time)) {
            try Self.verifier.verify(sent, at: Messages.time + 361, replays: &replays)
        }
        #expect(throws: WSSecurityError.fromTheFuture(created: Messages.time)) {
            try Self.verifier.verify(sent, at: Messages.time - 61, replays: &replays)
        }
        _ = try Self.verifier.verify(sent, at: Messages.time, replays: &replays)
        #expect(throws: WSSecurityError.replayed) {
            try Self.verifier.verify(sent, at: Messages.time, replays: &replays)
        }
    }

    @Test("A digest is accepted once, even if the end of its nonce is moved to the time") func movedNonce() async throws
    {
        let nonce = [UInt8](repeating: 1, count: 15) + [0x20]
        let sent = try await MessageSecurity.usernameToken(user: "ann & \"bob\"", password: Secret("pa<ss>&w\u{f6}rd"))
            .secure(Messages.envelope(), at: Messages.time, randomBytes: { _ in nonce })
        let moved = sent.text.replacing(
            Data(nonce).base64EncodedString(), with: Data(nonce.dropLast()).base64EncodedString()
        ).replacing("<wsu:Created>", with: "<wsu:Created> ")
        var replays = ReplayCache()
        _ = try Self.verifier.verify(sent, at: Messages.time, replays: &replays)
        #expect(throws: WSSecurityError.replayed) {
            try Self.verifier.verify(Array(moved.utf8), at: Messages.time, replays: &replays)
        }
    }

    @Test("A name that XML cannot represent is refused") func unwritable() async throws {
        await #expect(throws: WSSecurityError.unwritableText) { try await Self.sent(.digest, user: "a\u{0}") }
    }
}
