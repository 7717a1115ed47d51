// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import FuzzDriver
import Secrets

/// Fuzzes responses to challenges; the lines of the input are challenge fields or, after a `!`, Authentication-Info.
@main
enum ChallengeFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in ChallengeSeeds.all.map { Array($0.utf8) } }) { bytes, count in
            ChallengeFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let user = "D\\u \"\u{fc}\", realm=\"x"
    private static let password = Credential.password(user: user, password: Secret("p\u{aa}"))
    private static let token = Credential.token(Secret("mF_9.B5f-4.1JqM=="))
    private static let request = RequestFacts(method: "GET", target: "/a?b=\"c\\\"", body: [1], host: "a.test")

    private static func test(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let information = try? HTTPAuthenticationInfo(
            lines.filter { $0.utf8.first == UInt8(ascii: "!") }.map { String($0.dropFirst()) })
        guard let challenges = try? HTTPChallenge.parse(lines.filter { $0.utf8.first != UInt8(ascii: "!") }) else {
            return
        }
        for challenge in challenges {
            let others = challenges.filter { $0.method == challenge.method }
            answer(challenge, then: others, information)
        }
    }

    /// Answers a challenge, continues with the others of its scheme, and processes the accepted response.
    private static func answer(
        _ challenge: HTTPChallenge, then others: [HTTPChallenge], _ information: HTTPAuthenticationInfo?
    ) {
        guard var authenticator = try? AuthenticatorRegistry().authenticator(for: challenge) else { return }
        let credential = challenge.method == .bearer ? token : password
        guard let first = try? authenticator.authorization(with: credential, for: request) else { return }
        check(first, answers: challenge, nonce: challenge["nonce"])
        for other in others.prefix(4) where SafeWork.isBounded(other) {
            guard (try? authenticator.advance(with: other, credential: credential)) == true,
                let next = try? authenticator.authorization(with: credential, for: request)
            else { continue }
            check(next, answers: nil, nonce: nil)
        }
        let response = AcceptedResponse(information: information ?? nil, challenge: others.last, body: [])
        guard let isChanged = try? authenticator.receive(response, with: credential),
            let again = try? authenticator.authorization(with: credential, for: request)
        else { return }
        let nonce = isChanged ? response.information?["nextnonce"] : challenge["nonce"]
        check(again, answers: challenge, nonce: nonce)
    }

    /// Checks that an answer stays within its field, and has the parameters of the challenge.
    private static func check(_ answer: String, answers challenge: HTTPChallenge?, nonce: String?) {
        precondition(
            answer.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F },
            "the answer contains control characters")
        guard let read = try? HTTPChallenge.parse([answer]), read.count == 1 else {
            fatalError("the answer does not parse as one challenge")
        }
        guard let challenge else { return }
        precondition(read[0].method == challenge.method, "another scheme")
        guard challenge.method == .digest else { return }
        precondition(read[0].realm == challenge.realm ?? "", "another realm")
        precondition(read[0]["nonce"] == nonce, "another nonce")
        precondition(read[0]["opaque"] == challenge["opaque"], "another opaque")
        precondition(read[0]["uri"] == request.target, "another target")
    }
}
