// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes

@testable import ChallengeLab

/// A Digest server for the features that the lab's gate lacks (RFC 7616).
///
/// These are -sess algorithms, non-ASCII users, hashed users and several challenges.
struct DigestVerifier: Sendable {
    var user = "J\u{e4}s\u{f8}n Doe"
    var hash = DigestHash.sha256
    var isSession = false
    /// The challenge parameters in addition to realm, nonce, algorithm and qop.
    var terms = ""
    /// The name of the parameter that identifies the user, whose expected value ``expectedName`` returns.
    var name = "username"
    var expectedName: @Sendable (DigestHash, _ user: String) -> String = { $1 }
    /// The challenges that the server sends before its own challenge.
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
