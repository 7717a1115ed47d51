// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation
import Testing

/// Tests of the client's three messages with pyspnego.
@Suite(.interop) struct NTLMInteropTests {
    private let values: NTLMValues
    private let acceptor: NTLMAcceptor

    init() throws {
        values = try NTLMValues()
        acceptor = try NTLMAcceptor(values)
    }

    /// Runs an exchange; `tamper` may change the last message before the acceptor receives it.
    private func verdict(
        user: String = "INTEROP\\alice", password: String? = nil, binding: ChannelBinding? = nil,
        requiring certificate: String? = nil, tamper: (inout [UInt8]) -> Void = { _ in }
    ) throws -> NTLMAcceptor.Answer {
        var exchange = try NTLMExchange(
            user: user, password: Secret(password ?? values.password), service: "HTTP/interop.test",
            channelBinding: binding)
        try acceptor.open(certificate: certificate.map(values.certificate))
        guard case .token(let challenge) = try acceptor.step(exchange.negotiateToken()) else { return .ended }
        var answer = try exchange.authenticate(
            answering: challenge, at: Date(), clientChallenge: .random(in: .min ... .max))
        tamper(&answer)
        return try acceptor.step(answer)
    }

    private func binding(to certificate: String) throws -> ChannelBinding {
        let der = try Data(contentsOf: URL(filePath: values.certificate(certificate)))
        return try #require(ChannelBinding.tlsServerEndPoint(of: Array(der)))
    }

    private func isRefused(_ answer: NTLMAcceptor.Answer, _ reason: String) -> Bool {
        guard case .refused(let text) = answer else { return false }
        return text.contains(reason)
    }

    @Test(
        "pyspnego accepts each form of account, and refuses a wrong password",
        arguments: [
            ("INTEROP\\alice", "INTEROP\\alice"), ("INTEROP\\ALICE", "INTEROP\\ALICE"),
            ("bob@interop.test", "bob@interop.test"), ("carol", "carol"), ("INTEROP\\j\u{f6}rg", "INTEROP\\j\u{f6}rg"),
        ])
    func accounts(user: String, principal: String) throws {
        #expect(try verdict(user: user) == .accepted(user: principal))
        #expect(isRefused(try verdict(user: user, password: values.password + " "), "Invalid NTLM response"))
    }

    /// Both sides choose the certificate's hash function independently (RFC 5929 section 4.1).
    @Test(
        "pyspnego accepts the channel binding of each certificate (RFC 5929 section 4.1)",
        arguments: ["sha1", "sha256", "sha384", "sha512", "pss384"])
    func channelBinding(certificate: String) throws {
        let answer = try verdict(binding: binding(to: certificate), requiring: certificate)
        #expect(answer == .accepted(user: "INTEROP\\alice"))
        let other = certificate == "sha256" ? "sha384" : "sha256"
        #expect(isRefused(try verdict(binding: binding(to: other), requiring: certificate), "BadBindings"))
        #expect(isRefused(try verdict(binding: nil, requiring: certificate), "BadBindings"))
    }

    @Test(
        "pyspnego refuses a tampered AUTHENTICATE_MESSAGE",
        arguments: [
            (72, "Invalid MIC"),  // the integrity code itself
            (87, "Invalid MIC"),
            (63, "Invalid MIC"),  // the flags, which only the integrity code protects
            (64, "Invalid MIC"),  // the version
            (112, "Invalid NTLM response"),  // the proof
            (136, "Invalid NTLM response"),  // the time
        ])
    func tampered(place: Int, reason: String) throws {
        let answer = try verdict { $0[place] ^= 1 }
        #expect(isRefused(answer, reason), "\(answer)")
    }

    @Test("pyspnego refuses a response to another challenge") func otherChallenge() throws {
        var answers: [[UInt8]] = []
        _ = try verdict { answers.append($0) }
        let answer = try verdict { $0 = answers[0] }
        #expect(isRefused(answer, "Invalid NTLM response"))
    }
}
