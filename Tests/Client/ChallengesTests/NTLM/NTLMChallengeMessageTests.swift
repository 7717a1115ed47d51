// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
import TrustRecipes
@testable import Challenges
import EssentialFoundation

@Suite struct NTLMChallengeMessageTests {
    @Test("The example of MS-NLMP is parsed") func example() throws {
        let message = try NTLMChallengeMessage(NTLMVectors.challenge)
        #expect(message.flags.rawValue == 0xE28A_8233)
        #expect(message.serverChallenge == NTLMVectors.serverChallenge)
        #expect(message.targetInformation?.encoded == NTLMVectors.targetInformation)
    }

    @Test("A truncated CHALLENGE_MESSAGE is refused", arguments: 0..<NTLMVectors.challenge.count)
    func truncation(size: Int) {
        #expect(throws: size < 8 ? NTLMError.notAChallenge : .truncated) {
            try NTLMChallengeMessage(Array(NTLMVectors.challenge.prefix(size)))
        }
    }

    @Test(
        "A tampered CHALLENGE_MESSAGE is refused with its error",
        arguments: [
            (0, [0x4F], NTLMError.notAChallenge), (8, [1], .notAChallenge), (8, [3], .notAChallenge),
            (11, [1], .notAChallenge),
            (40, [0x25, 0], .truncated), (40, [0xFF, 0xFF], .truncated), (44, [0x45], .truncated),
            (44, [0xFF, 0xFF, 0xFF, 0xFF], .truncated), (16, [0xFF, 0xFF, 0xFF, 0xFF], .truncated),
            (12, [0xFF], .truncated),
            (40, [0x20, 0], .unterminatedTargetInformation), (40, [0x1F, 0], .truncated),
            (84, [2], .duplicateAttribute(2)), (84, [6], .malformedAttribute(6)), (84, [7], .malformedAttribute(7)),
            (84, [0], .malformedAttribute(0)), (70, [0xFF, 0xFF], .truncated), (102, [1], .truncated),
        ] as [(Int, [UInt8], NTLMError)])
    func tampered(place: Int, bytes: [UInt8], error: NTLMError) {
        var challenge = NTLMVectors.challenge
        challenge.replaceSubrange(place..<place + bytes.count, with: bytes)
        #expect(throws: error) { try NTLMChallengeMessage(challenge) }
    }

    @Test("Bytes after MsvAvEOL are dropped") func trailingBytes() throws {
        let information = try NTLMTargetInformation(NTLMVectors.targetInformation + [0, 0, 0, 0, 9, 9])
        #expect(information.encoded == NTLMVectors.targetInformation)
    }

    @Test("Fields of a message may overlap, and the version may be absent") func overlap() throws {
        // Both fields point to the same bytes, directly after a header without a version.
        var challenge = ServerChallenge().bytes
        challenge.replaceSubrange(12..<20, with: challenge[40..<48])
        #expect(try NTLMChallengeMessage(challenge).targetInformation?[.timestamp] == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    /// Each mutation is parsed or throws a typed error; the same seed reproduces the same mutations.
    @Test(
        "Random changes of a CHALLENGE_MESSAGE do not trap the parser",
        arguments: [NTLMVectors.challenge, ServerChallenge().bytes])
    func mutations(challenge: [UInt8]) throws {
        var negotiated = try NTLMExchange(user: "u", password: Secret("p"), service: "HTTP/h", channelBinding: nil)
        _ = negotiated.negotiateToken()
        var generator = SplitMix64(seed: 20_261_121)
        var refused = 0
        for _ in 0..<20_000 {
            var mutated = challenge
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 8..<mutated.count, using: &generator)
                mutated[place] = UInt8.random(in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator) {
                mutated.removeLast(Int.random(in: 0..<mutated.count, using: &generator))
            }
            do throws(NTLMError) {
                var exchange = negotiated
                _ = try exchange.authenticate(
                    answering: mutated, at: Date(timeIntervalSince1970: 0), clientChallenge: generator.next())
            } catch { refused += 1 }
        }
        #expect(refused > 10_000)
    }
}
