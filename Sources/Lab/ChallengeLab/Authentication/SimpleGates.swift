// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The server side of Basic authentication (RFC 7617).
package struct BasicGate: RequestGate {
    let realm: String
    /// The accepted credentials; `nil` accepts none.
    let accepted: LabCredentials?

    package init(realm: String, accepted: LabCredentials?) {
        self.realm = realm
        self.accepted = accepted
    }

    package func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        let challenge = "Basic realm=\"\(realm)\", charset=\"UTF-8\""
        guard let accepted, let answer, answer.lowercased().hasPrefix("basic "),
            let pair = Data(base64Encoded: String(answer.dropFirst(6)))
        else { return challenge }
        let expected = "\(accepted.user):\(accepted.password)"
        return constantTimeEqual(String(decoding: pair, as: UTF8.self), expected) ? nil : challenge
    }
}

/// The server side of Bearer authentication (RFC 6750), which accepts one token.
///
/// Other tokens get the error `invalid_token`.
package struct BearerGate: RequestGate {
    let realm: String
    let accepted: String

    package init(realm: String, accepted: String) {
        self.realm = realm
        self.accepted = accepted
    }

    package func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        let challenge = "Bearer realm=\"\(realm)\", scope=\"lab\""
        // The challenge for a client without a token has no error code (section 3.1).
        guard let answer, answer.lowercased().hasPrefix("bearer ") else { return challenge }
        guard !constantTimeEqual(String(answer.dropFirst(7)), accepted) else { return nil }
        return challenge + ", error=\"invalid_token\", error_description=\"The access token expired\""
    }
}

/// A gate that offers several challenges in one field (RFC 9110 section 11.6.1), and accepts only the strongest.
struct ChoiceGate: RequestGate {
    /// The gates of the weaker challenges, whose credentials are refused even if correct.
    let weaker: [any RequestGate]
    let strongest: any RequestGate

    var bodyHash: DigestHash? { strongest.bodyHash }

    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        guard let strongest = strongest.challenge(to: answer, method: method, target: target, body: body) else {
            return nil
        }
        let others = weaker.compactMap { $0.challenge(to: nil, method: method, target: target, body: body) }
        return (others + [strongest]).joined(separator: ", ")
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? {
        strongest.information(about: answer, responseBody: responseBody)
    }
}

/// A gate that refuses every request with the same challenge.
struct RefusingGate: RequestGate {
    let challenge: String

    init(_ challenge: String) {
        self.challenge = challenge
    }

    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? { challenge }
}

/// The authentication of a SOCKS proxy.
package enum SOCKSGate: Hashable, Sendable {
    /// The proxy accepts every client without authentication.
    case open
    /// The proxy accepts every user name with any password.
    case anyLogin
    case login(LabCredentials)

    func admits(user: String, password: String) -> Bool {
        switch self {
        case .open, .anyLogin: true
        case .login(let known): user == known.user && password == known.password
        }
    }
}
