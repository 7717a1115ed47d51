// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Identities
import Testing

@testable import ChallengeLab

@Suite struct NTLMAcceptorTests {
    @Test(
        "The right password is accepted with each form of the user name",
        arguments: [
            "lab", "LAB", "lab@countersign.test", "COUNTERSIGN\\lab", "countersign\\Lab", "countersign.test\\lab",
        ],
        [NTLMTerms.Omission.nothing, .timestamp, .targetInformation])
    func rightPassword(user: String, omission: NTLMTerms.Omission) throws {
        var scene = try NTLMScene(try NTLMTerms(omitting: omission), user: user)
        #expect(try scene.acceptor.accept(scene.answer) == "lab")
        #expect(throws: NTLMRefusal.unexpectedMessage) { try scene.acceptor.accept(scene.answer) }
    }

    @Test(
        "Another user or password is refused",
        arguments: [
            ("lab", "Countersign", NTLMRefusal.wrongProof),  // passwords are case-sensitive
            ("lab", "", .wrongProof),
            ("stranger", "countersign", .unknownUser),
            ("lab2", "countersign", .unknownUser),
            ("lab@elsewhere.test", "countersign", .unknownUser),
            ("ELSEWHERE\\lab", "countersign", .unknownUser),
        ])
    func refused(user: String, password: String, refusal: NTLMRefusal) throws {
        for omission in [NTLMTerms.Omission.nothing, .timestamp, .targetInformation] {
            var scene = try NTLMScene(try NTLMTerms(omitting: omission), user: user, password: password)
            #expect(throws: refusal) { try scene.acceptor.accept(scene.answer) }
        }
    }

    @Test("A message with any bit changed is refused") func changedBits() throws {
        let scene = try NTLMScene(try NTLMTerms())
        for index in scene.answer.indices {
            for bit in 0..<8 {
                var (acceptor, answer) = (scene.acceptor, scene.answer)
                answer[index] ^= 1 << bit
                #expect(throws: NTLMRefusal.self, "bit \(bit) of byte \(index)") { try acceptor.accept(answer) }
            }
        }
    }

    @Test("A truncated message is refused") func truncation() throws {
        let scene = try NTLMScene(try NTLMTerms())
        for length in scene.answer.indices {
            var acceptor = scene.acceptor
            #expect(throws: NTLMRefusal.self) { try acceptor.accept(Array(scene.answer.prefix(length))) }
        }
        for length in scene.negotiation.indices.prefix(16) {
            var acceptor = NTLMAcceptor(try NTLMTerms(), serverChallenge: 1, time: NTLMScene.now)
            let negotiation = Array(scene.negotiation.prefix(length))
            #expect(throws: NTLMRefusal.self) { try acceptor.challenge(answering: negotiation) }
        }
    }

    @Test("A response to another connection's challenge is refused") func otherChallenge() throws {
        let here = try NTLMScene(try NTLMTerms())
        var there = try NTLMScene(try NTLMTerms(), serverChallenge: 8)
        #expect(throws: NTLMRefusal.wrongProof) { try there.acceptor.accept(here.answer) }
        var unasked = NTLMAcceptor(try NTLMTerms(), serverChallenge: 7, time: NTLMScene.now)
        #expect(throws: NTLMRefusal.unexpectedMessage) { try unasked.accept(here.answer) }
    }

    @Test(
        "A MIC is required if the server sent its timestamp",
        arguments: [
            (NTLMTerms.Omission.nothing, NTLMRefusal?.some(.missingIntegrityCode)), (.timestamp, nil),
            (.targetInformation, nil),
        ])
    func missingMIC(omission: NTLMTerms.Omission, refusal: NTLMRefusal?) throws {
        var scene = try NTLMScene(try NTLMTerms(omitting: omission))
        let answer = try scene.answer { $0[.flags] = nil }
        guard let refusal else {
            #expect(try scene.acceptor.accept(answer) == "lab")
            return
        }
        #expect(throws: refusal) { try scene.acceptor.accept(answer) }
    }

    @Test("A changed MIC is refused") func wrongMIC() throws {
        for code in [[UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 16)] {
            var scene = try NTLMScene(try NTLMTerms())
            var answer = scene.answer
            answer.replaceSubrange(72..<88, with: code)
            #expect(throws: NTLMRefusal.wrongIntegrityCode) { try scene.acceptor.accept(answer) }
        }
    }

    @Test("A response must contain the server's target information") func changedTargetInformation() throws {
        let changes: [(inout NTLMAttributes) -> Void] = [
            { $0[.timestamp]?[0] ^= 1 }, { $0[.timestamp] = nil }, { $0[.domain] = [] }, { $0[.dnsComputer] = nil },
        ]
        for change in changes {
            var scene = try NTLMScene(try NTLMTerms())
            let answer = try scene.answer(changing: change)
            #expect(throws: NTLMRefusal.otherAttributes) { try scene.acceptor.accept(answer) }
        }
        var scene = try NTLMScene(try NTLMTerms())
        let same = try scene.answer { _ in }
        #expect(try scene.acceptor.accept(same) == "lab")
    }

    @Test(
        "The channel binding must be that of the server's certificate",
        arguments: [CertificateAuthority.KeyType.p256, .rsa2048])
    func channelBinding(keyType: CertificateAuthority.KeyType) throws {
        let certificate = try NTLMScene.identity(keyType).certificate
        let terms = try NTLMTerms(boundTo: certificate)
        var right = try NTLMScene(terms, boundTo: certificate)
        #expect(try right.acceptor.accept(right.answer) == "lab")
        var missing = try NTLMScene(terms)
        #expect(throws: NTLMRefusal.missingChannelBinding) { try missing.acceptor.accept(missing.answer) }
        var foreign = try NTLMScene(terms, boundTo: NTLMScene.identity(keyType).certificate)
        #expect(throws: NTLMRefusal.foreignChannelBinding) { try foreign.acceptor.accept(foreign.answer) }
        var zeros = try NTLMScene(terms, boundTo: certificate)
        let answer = try zeros.answer { $0[.channelBinding] = [UInt8](repeating: 0, count: 16) }
        #expect(throws: NTLMRefusal.missingChannelBinding) { try zeros.acceptor.accept(answer) }
    }

    @Test(
        "The target name must be that of the service",
        arguments: [("HTTP/localhost", true), ("http/LOCALHOST", true), ("HTTP/elsewhere.test", false), ("", false)])
    func targetName(service: String, isRight: Bool) throws {
        var scene = try NTLMScene(try NTLMTerms(), service: service)
        guard isRight else {
            #expect(throws: NTLMRefusal.foreignTargetName) { try scene.acceptor.accept(scene.answer) }
            return
        }
        #expect(try scene.acceptor.accept(scene.answer) == "lab")
    }

    @Test("A target name is required if a channel binding is") func missingTargetName() throws {
        let certificate = try NTLMScene.identity().certificate
        for (terms, isNeeded) in [(try NTLMTerms(), false), (try NTLMTerms(boundTo: certificate), true)] {
            var scene = try NTLMScene(terms, boundTo: certificate)
            let answer = try scene.answer { $0[.targetName] = nil }
            guard isNeeded else {
                #expect(try scene.acceptor.accept(answer) == "lab")
                continue
            }
            #expect(throws: NTLMRefusal.missingTargetName) { try scene.acceptor.accept(answer) }
        }
    }

    @Test("NTLMv1 and clients without required features are refused") func weakClients() throws {
        var scene = try NTLMScene(try NTLMTerms())
        var versionOne = scene.answer
        versionOne.replaceSubrange(20..<24, with: [24, 0, 24, 0])
        #expect(throws: NTLMRefusal.notVersionTwo) { try scene.acceptor.accept(versionOne) }
        for (byte, bit) in [(12, 0x01), (13, 0x02)] {  // both Unicode and NTLM are required
            var acceptor = NTLMAcceptor(try NTLMTerms(), serverChallenge: 1, time: NTLMScene.now)
            var negotiation = scene.negotiation
            negotiation[byte] &= ~UInt8(bit)
            #expect(throws: NTLMRefusal.tooWeak) { try acceptor.challenge(answering: negotiation) }
        }
    }
}
