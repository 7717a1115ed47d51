// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Offers several challenges in one field (RFC 9110 section 11.6.1), and lets in only who answers the strongest.
struct ChoiceGate: RequestGate {
    /// What is offered before the strongest; a right answer to one of them is refused.
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

/// Refuses every request with the same challenge.
struct RefusingGate: RequestGate {
    let challenge: String

    init(_ challenge: String) {
        self.challenge = challenge
    }

    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? { challenge }
}
