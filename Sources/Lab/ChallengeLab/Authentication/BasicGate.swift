// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's half of Basic (RFC 7617).
package struct BasicGate: RequestGate {
    let realm: String
    /// `nil` accepts no client.
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
