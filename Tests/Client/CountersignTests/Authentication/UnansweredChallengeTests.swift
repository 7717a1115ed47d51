// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import HTTPTypes
import NIOCore
import Testing

@testable import Countersign

@Suite("Every challenge has an answer or the reason why it has none") struct UnansweredChallengeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let challenge: String
        /// The schemes for which a handler gives a password.
        var passwords: [AuthenticationMethod] = []
        var change: @Sendable (inout HTTPSession.Configuration) -> Void = { _ in }
        /// The status of the response after the answers.
        var status = HTTPResponse.Status.unauthorized
        let skipped: [SkippedChallenge]
        /// A part of the error's reason.
        var reason: String?

        var testDescription: String { challenge }
    }

    private static func skip(_ method: AuthenticationMethod?, _ reason: UnansweredReason) -> SkippedChallenge {
        SkippedChallenge(method: method, reason: reason)
    }

    private static let token = AuthenticationMethod("token")

    static let rows = [
        Row(
            challenge: "Token", passwords: [.basic], skipped: [skip(token, .unsupportedScheme)],
            reason: "The server asks for token: the scheme is not supported."),
        Row(
            challenge: "AWS4-HMAC-SHA256 Credential=x, Basic realm=\"r\"", passwords: [.basic], status: .ok,
            skipped: [skip(AuthenticationMethod("aws4-hmac-sha256"), .unsupportedScheme)]),
        Row(
            challenge: "Negotiate, Basic realm=\"r\"", passwords: [.basic, .negotiate], status: .ok,
            skipped: [skip(.negotiate, .answeredAnother(.basic))]),
        Row(
            challenge: "Negotiate", passwords: [.basic], skipped: [skip(.negotiate, .unsupportedScheme)],
            reason: "The server asks for negotiate: the scheme is not supported."),
        Row(
            challenge: "negotiate", passwords: [.negotiate], skipped: [skip(.negotiate, .unanswerable(.needsTLS))],
            reason: "The server asks for negotiate: "),
        Row(
            challenge: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", Basic realm=\"r\"",
            passwords: [.basic, .digest],
            status: .ok, skipped: [skip(.basic, .answeredAnother(.digest))]),
        Row(
            challenge: "Digest realm=\"r\", nonce=\"n\", algorithm=SHA3", passwords: [.digest],
            skipped: [skip(.digest, .unsupportedForm)],
            reason: "The server asks for digest: its algorithm or its quality of protection is not supported."),
        Row(
            challenge: "Digest realm=\"r\"", passwords: [.digest],
            skipped: [skip(.digest, .unanswerable(.missingParameter("nonce")))],
            reason: "The server asks for digest: the challenge has no parameter nonce"),
        Row(
            challenge: "NTLM", passwords: [.ntlm], skipped: [skip(.ntlm, .unanswerable(.needsTLS))],
            reason: "The server asks for ntlm: "),
        Row(
            challenge: "Basic realm=\"r\", Token", passwords: [.basic],
            change: { $0.policies.fallback.methods = .only(.digest) },
            skipped: [skip(token, .unsupportedScheme)], reason: "The server asks for basic: the policy"),
        Row(
            challenge: "Basic realm=\"r\", Digest realm=\"r\"", passwords: [.basic],
            change: { $0.methods = MethodPreference(order: [.digest]) },
            skipped: [skip(.basic, .notAllowed), skip(.digest, .unanswerable(.missingParameter("nonce")))],
            reason: "It also asks for basic (the policy of the server or the configuration does not allow it)."),
        Row(
            challenge: "Basic realm=\"r\", Bearer", skipped: [skip(.bearer, .noHandler), skip(.basic, .noHandler)],
            reason: "The server asks for basic, bearer: no credential was given for it."),
        Row(
            challenge: "Digest realm=\"r\", nonce=\"n\", nonce=\"m\"", passwords: [.digest],
            skipped: [skip(.digest, .unreadable(.repeatedParameter("nonce")))],
            reason: "The server asks for digest: one challenge gives the parameter nonce two different values."),
        Row(
            challenge: "=, Basic realm=\"r\"", passwords: [.basic], status: .ok,
            skipped: [skip(nil, .unreadable(.malformed(offset: 0)))]),
        Row(
            challenge: "\"Basic\"", passwords: [.basic], skipped: [skip(nil, .unreadable(.malformed(offset: 0)))],
            reason: "The server asks for a scheme that cannot be read: "),
    ]

    @Test("The reason is in the event, and in the error of the delivered 401", arguments: rows)
    func reasons(row: Row) async throws {
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: row.challenge], body: "the body") : .init(.ok)
        }
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration()
        for method in row.passwords {
            configuration.handlers[method] = .closure { _ in .use(.password(user: "mary", password: Secret("s3cret"))) }
        }
        row.change(&configuration)
        configuration.observer = recorder.note
        try await withSession(configuration, stopping: [server]) { session async throws in
            let url = "http://localhost:\(server.port)/"
            let response = try await session.get(url)
            #expect(response.status == row.status)
            let body = try await response.body.collect(upTo: 100)
            #expect(String(buffer: body) == (row.status == .ok ? "" : "the body"))
            #expect(recorder.skipped == row.skipped)
            guard let reason = row.reason else { return }
            let error = await #expect(throws: SessionError.self) { try await session.get(url).expecting(.successful) }
            #expect(error?.explanation.reason.contains(reason) == true, "\(error?.explanation.reason ?? "")")
        }
    }

    private static func unanswered(_ challenges: [SkippedChallenge]) -> UnansweredChallenge {
        UnansweredChallenge(
            challenges, of: HostEndpoint(host: .localhost, port: 80), at: "http://localhost", sentCredential: false,
            withheldFrom: nil)
    }

    @Test("The rejected credential is the most informative reason, and the others follow") func rejection() {
        let unanswered = Self.unanswered([
            Self.skip(Self.token, .unsupportedScheme), Self.skip(.basic, .weakerThanRejected(.digest)),
            Self.skip(.digest, .rejected),
        ])
        #expect(
            unanswered.reason == """
                The server rejected the credential for digest. It also asks for token (the scheme is not supported), \
                basic (it is weaker than digest, whose credential the server rejected).
                """)
        #expect(unanswered.advice == "Check the user and the password, or the token.")
    }

    @Test("The text about many or strange schemes is short and printable") func bounds() {
        let many = (0..<64).map { Self.skip(AuthenticationMethod("s\($0)"), .unsupportedScheme) }
        #expect(Self.unanswered(many).reason.contains("s15 and 56 more: the scheme"))
        let long = Self.skip(AuthenticationMethod(String(repeating: "a", count: 60_000)), .unsupportedScheme)
        #expect(Self.unanswered([long]).reason.count < 200)
        let strange = Self.skip(AuthenticationMethod("a\u{1B}[2J"), .unsupportedScheme)
        #expect(Self.unanswered([strange]).reason.contains("a\\u{1b}[2j:"))
    }

    @Test("A proxy's challenge that cannot be read or answered is an error")
    func proxy() async throws {
        for (challenge, code) in [
            ("\"Basic\"", "authentication.malformed-challenge"),
            ("Digest realm=\"r\"", "authentication.unanswerable-challenge"),
            ("Token", "proxy.authentication-required"),
        ] {
            let server = try await ScriptedServer.start { _ in
                .init(.proxyAuthenticationRequired, [.proxyAuthenticate: challenge])
            }
            let recorder = Recorder()
            var configuration = HTTPSession.Configuration(
                handlers: [.digest: .closure { _ in .performDefault }])
            configuration.proxy = try Proxy("http://localhost:\(server.port)")
            configuration.observer = recorder.note
            try await withSession(configuration, stopping: [server]) { session async throws in
                let error = await #expect(throws: SessionError.self) { try await session.get("http://a.test/") }
                #expect(error?.code == code)
                #expect(recorder.skipped.count == 1)
            }
        }
    }
}

extension Recorder {
    /// The challenges that were not answered.
    fileprivate var skipped: [SkippedChallenge] {
        kinds.compactMap {
            guard case .notAnswered(_, let method, let reason) = $0 else { return nil }
            return SkippedChallenge(method: method, reason: reason)
        }
    }
}
