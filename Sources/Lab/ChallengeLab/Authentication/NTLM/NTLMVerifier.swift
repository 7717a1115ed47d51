// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Guards one connection: once a password was proved on it, it belongs to that user.
struct NTLMVerifier: LabVerifier {
    private enum Stage {
        case start
        case challenged(NTLMAcceptor)
        case authenticated
    }

    let terms: NTLMTerms
    let habits: NTLMGate.Habits
    private var stage = Stage.start

    init(terms: NTLMTerms, habits: NTLMGate.Habits) {
        self.terms = terms
        self.habits = habits
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

    mutating func judge(_ answer: String?, of request: LabRequest) -> LabRefusal? {
        let before = stage
        stage = .start
        switch (before, answer.map(Self.message)) {
        case (.authenticated, nil):
            stage = .authenticated
            return nil
        case (.authenticated, _?):
            // The connection may now carry another client's requests, so a new login on it is refused.
            return refusal(ending: .closed)
        case (.start, let message??):
            var acceptor = NTLMAcceptor(terms, serverChallenge: .random(in: .min ... .max), time: Date())
            guard let challenge = try? acceptor.challenge(answering: message) else { return refusal() }
            stage = .challenged(acceptor)
            let ending: LabRefusal.Ending = habits.contains(.closesAfterChallenge) ? .closed : .open
            return refusal("NTLM " + Data(challenge).base64EncodedString(), ending: ending)
        case (.challenged(var acceptor), let message??):
            guard (try? acceptor.accept(message)) != nil else { return refusal() }
            stage = .authenticated
            return nil
        case (.start, nil):
            return refusal(ending: habits.contains(.closesAfterFirstRefusal) ? .closed : .open)
        case (.start, .some(nil)), (.challenged, _):
            return refusal()
        }
    }

    private func refusal(_ challenge: String = "NTLM", ending: LabRefusal.Ending = .open) -> LabRefusal {
        LabRefusal(challenge: challenge, ending: ending, isChunked: habits.contains(.chunksRefusals))
    }

    private static func message(_ answer: String) -> [UInt8]? {
        guard answer.lowercased().hasPrefix("ntlm ") else { return nil }
        return Data(base64Encoded: String(answer.dropFirst(5))).map { Array($0) }
    }
}
