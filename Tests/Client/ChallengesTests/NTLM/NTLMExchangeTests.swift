// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
@testable import Challenges
import EssentialFoundation

@Suite struct NTLMExchangeTests {
    private static let time = Date(timeIntervalSince1970: 1_000_000_000)
    private static let binding = ChannelBinding(tlsServerEndPointHash: [UInt8](repeating: 7, count: 32))

    private static func answer(
        to challenge: [UInt8], user: String = "Domain\\User", binding: ChannelBinding? = binding,
        service: String = "HTTP/a.test", workstation: String = ""
    ) throws -> Answer {
        var exchange = try NTLMExchange(
            user: user, password: Secret("Password"), service: service, channelBinding: binding,
            workstation: workstation)
        _ = exchange.negotiateToken()
        let message = try exchange.authenticate(
            answering: challenge, at: time, clientChallenge: NTLMVectors.clientChallenge)
        return try #require(Answer(message))
    }

    @Test("The NEGOTIATE_MESSAGE names no user and requests no weak feature") func negotiate() throws {
        var exchange = try NTLMExchange(
            user: "Domain\\User", password: Secret("Password"), service: "HTTP/a.test", channelBinding: nil,
            workstation: "COMPUTER")
        let message = exchange.negotiateToken()
        #expect(message.prefix(12) == NTLMVectors.bytes("4e544c4d53535000 01000000")[...])
        #expect(message.dropFirst(16) == [UInt8](repeating: 0, count: 24)[...])
        let flags = NTLMFlags(rawValue: try #require(message.littleEndian(UInt32.self, at: 12)))
        #expect(flags == .requested)
        // The flags for OEM, signing, sealing, LM keys and key exchange.
        for weak: UInt32 in [2, 0x10, 0x20, 0x80, 0x4000_0000] { #expect(flags.rawValue & weak == 0) }
    }

    @Test(
        "The AUTHENTICATE_MESSAGE contains domain, user and workstation as given",
        arguments: [
            ("Domain\\User", "Domain", "User"), ("user@d.test", "", "user@d.test"), ("J\u{f6}rg", "", "J\u{f6}rg"),
        ])
    func account(name: String, domain: String, user: String) throws {
        let answer = try Self.answer(to: NTLMVectors.challenge, user: name, workstation: "PC")
        #expect(answer.domain == domain)
        #expect(answer.user == user)
        #expect(answer.workstation == "PC")
        #expect(answer.fields[5].isEmpty)
    }

    /// The client does not use other versions or features, even if the server offers signing, sealing and key exchange.
    @Test("The response is NTLMv2 for each challenge") func onlyNTLMv2() throws {
        for challenge in [NTLMVectors.challenge, ServerChallenge().bytes, ServerChallenge(targetInformation: []).bytes]
        {
            let answer = try Self.answer(to: challenge)
            #expect(answer.fields[0] == [UInt8](repeating: 0, count: 24))
            #expect(answer.response.count > 24)
            #expect(answer.response[16...17] == [1, 1])
            #expect(answer.flags.isSubset(of: .requested))
        }
    }

    @Test("With the server's timestamp the messages are protected by a MIC") func serverTime() throws {
        let challenge = ServerChallenge().bytes
        let answer = try Self.answer(to: challenge)
        #expect(answer.time == [1, 2, 3, 4, 5, 6, 7, 8])
        let information = try NTLMTargetInformation(answer.targetInformation)
        #expect(information[.flags] == [2, 0, 0, 0])
        #expect(information[.timestamp] == [1, 2, 3, 4, 5, 6, 7, 8])

        var exchange = try NTLMExchange(user: "u", password: Secret("p"), service: "", channelBinding: nil)
        let key = try NTLMKey(account: NTLMAccount("Domain\\User"), password: Secret("Password"))
        var sessionKey = key.code(Array(answer.response.prefix(16)))
        let code = NTLMKey(erasing: &sessionKey).code(exchange.negotiateToken(), challenge, answer.withoutCode)
        #expect(answer.integrityCode == code)
        #expect(sessionKey.allSatisfy { $0 == 0 })
    }

    @Test("Without the server's timestamp the client's time is sent, and no MIC") func clientTime() throws {
        let answer = try Self.answer(to: NTLMVectors.challenge)
        // 2001-09-09 01:46:40 UTC
        #expect(answer.time.littleEndian(UInt64.self, at: 0) == 126_444_736_000_000_000)
        #expect(try NTLMTargetInformation(answer.targetInformation)[.flags] == nil)
        #expect(answer.integrityCode.allSatisfy { $0 == 0 })
    }

    @Test("Other flags of the server's MsvAvFlags are preserved") func otherFlags() throws {
        let flags = NTLMTargetInformation.pair(6, [1, 0, 0, 0])
        let answer = try Self.answer(
            to: ServerChallenge(targetInformation: flags + ServerChallenge.timestamp + ServerChallenge.end).bytes)
        #expect(try NTLMTargetInformation(answer.targetInformation)[.flags] == [3, 0, 0, 0])
    }

    @Test("Channel binding and target name are always the client's", arguments: [true, false])
    func channelBinding(isEncrypted: Bool) throws {
        // A server must not send these attributes.
        let information =
            NTLMTargetInformation.pair(10, [UInt8](repeating: 0, count: 16))
            + NTLMTargetInformation.pair(9, Array(utf16: "HTTP/evil.test")) + ServerChallenge.end
        for information in [information, ServerChallenge.end, []] {
            let answer = try Self.answer(
                to: ServerChallenge(targetInformation: information).bytes, binding: isEncrypted ? Self.binding : nil)
            let sent = try NTLMTargetInformation(answer.targetInformation)
            #expect(sent[.channelBindings] == (isEncrypted ? Self.binding.windowsHash : nil))
            #expect(Answer.text(try #require(sent[.targetName])) == "HTTP/a.test")
        }
    }

    /// Some proxies omit the flag, others the attributes.
    @Test("Without target information, no integrity is requested") func noTargetInformation() throws {
        let ancient = Array(
            ServerChallenge(flags: [.unicode, .ntlm, .extendedSessionSecurity, .alwaysSign]).bytes[..<32])
        for challenge in [ServerChallenge(targetInformation: []).bytes, ancient] {
            let answer = try Self.answer(to: challenge)
            #expect(!answer.flags.contains(.alwaysSign))
            #expect(answer.integrityCode.allSatisfy { $0 == 0 })
        }
        #expect(try Self.answer(to: ServerChallenge().bytes).flags.contains(.alwaysSign))
    }

    @Test(
        "A server that lacks a required feature is refused, and the error names the feature",
        arguments: [
            (NTLMFlags.unicode, NTLMError.Feature.unicode), (.ntlm, .ntlm),
            (.extendedSessionSecurity, .extendedSessionSecurity),
        ])
    func missingFeatures(flag: NTLMFlags, feature: NTLMError.Feature) {
        let challenge = ServerChallenge(flags: .requested.subtracting(flag)).bytes
        #expect(throws: NTLMError.refusedFeature(feature)) { try Self.answer(to: challenge) }
    }

    @Test("An exchange answers one challenge, in order") func outOfTurn() throws {
        var exchange = try NTLMExchange(user: "u", password: Secret("p"), service: "", channelBinding: nil)
        let answer = { (exchange: inout NTLMExchange) throws(NTLMError) in
            try exchange.authenticate(answering: NTLMVectors.challenge, at: Self.time, clientChallenge: 1)
        }
        #expect(throws: NTLMError.outOfTurn) { try answer(&exchange) }
        _ = exchange.negotiateToken()
        _ = try answer(&exchange)
        _ = exchange.negotiateToken()
        #expect(throws: NTLMError.outOfTurn) { try answer(&exchange) }
    }

    /// The dates are in seconds since 1970, because Foundation cannot print every date.
    @Test(
        "A date is converted to a Windows file time, and an unrepresentable date to zero",
        arguments: [
            (0, 116_444_736_000_000_000), (-11_644_473_600, 0), (-11_644_473_601, 0), (-.infinity, 0), (.infinity, 0),
            (.nan, 0), (1e300, 0),
        ] as [(Double, UInt64)])
    func fileTime(seconds: Double, steps: UInt64) {
        #expect(Date(timeIntervalSince1970: seconds).fileTime.littleEndian(UInt64.self, at: 0) == steps)
    }
}
