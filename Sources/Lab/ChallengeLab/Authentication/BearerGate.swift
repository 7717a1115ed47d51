// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server's half of Bearer (RFC 6750): one token opens, every other is called invalid.
package struct BearerGate: RequestGate {
    let realm: String
    let accepted: String

    package init(realm: String, accepted: String) {
        self.realm = realm
        self.accepted = accepted
    }

    package func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        let challenge = "Bearer realm=\"\(realm)\", scope=\"lab\""
        // A client without a token gets no error code (section 3.1).
        guard let answer, answer.lowercased().hasPrefix("bearer ") else { return challenge }
        guard !constantTimeEqual(String(answer.dropFirst(7)), accepted) else { return nil }
        return challenge + ", error=\"invalid_token\", error_description=\"The access token expired\""
    }
}
