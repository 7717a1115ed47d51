// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import ChallengeLab

/// A gate that sends the given challenge and accepts every credential.
struct AcceptingGate: RequestGate {
    let challenge: String

    init(_ challenge: String = "Basic realm=p") {
        self.challenge = challenge
    }

    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String? {
        answer == nil ? challenge : nil
    }
}
