// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes

@testable import ChallengeLab

/// A server's half of what the lab's gate has not: -sess, users beyond ASCII, hashed users, several challenges (RFC 7616).
struct DigestJudge: Sendable {
    var user = "J\u{e4}s\u{f8}n Doe"
    var hash = DigestHash.sha256
    var isSession = false
    /// What the challenge says beyond realm, nonce, algorithm and quality.
    var terms = ""
    /// The parameter that names the user, and what it must be.
    var name = "username"
    var expectedName: @Sendable (DigestHash, _ user: String) -> String = { $1 }
    /// Those that come before its own.
    var otherChallenges: [String] = []

    static let password = "Secret, or not?"

    var credential: Credential { .password(user: user, password: Secret(Self.password)) }

    private var algorithm: String { hash.rawValue + (isSession ? "-sess" : "") }

    func reply(to request: ScriptedServer.Request) -> ScriptedServer.Reply {
        let field = request.head.headerFields[.authorization]
        guard let answer = try? HTTPChallenge.parse([field].compactMap(\.self)).first, isRight(answer, for: request)
        else {
            var fields = HTTPFields()
            fields[values: .wwwAuthenticate] =
                otherChallenges + ["Digest realm=\"r\", nonce=\"n0nce\", qop=\"auth\", algorithm=\(algorithm)\(terms)"]
            return .init(field == nil ? .unauthorized : .forbidden, fields)
        }
        return .init(.ok)
    }

    private func isRight(_ answer: HTTPChallenge, for request: ScriptedServer.Request) -> Bool {
        let (nonce, client, count) = (answer["nonce"] ?? "", answer["cnonce"] ?? "", answer["nc"] ?? "")
        var key = hash.hex("\(user):r:\(Self.password)")
        if isSession { key = hash.hex("\(key):\(nonce):\(client)") }
        let subject = hash.hex("\(request.head.method.rawValue):\(request.head.path ?? "")")
        return nonce == "n0nce" && answer["algorithm"] == algorithm && answer[name] == expectedName(hash, user)
            && answer["response"] == hash.hex("\(key):\(nonce):\(count):\(client):auth:\(subject)")
    }
}
