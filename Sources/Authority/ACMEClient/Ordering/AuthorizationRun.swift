// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME

/// Makes the authorizations of an order valid.
struct AuthorizationRun {
    let account: ACMEAccount
    let responders: [any ChallengeResponder]
    let deadline: ContinuousClock.Instant

    /// A challenge and who answers it.
    private struct Answer {
        let url: String
        let challenge: Challenge
        let responder: any ChallengeResponder
        let proof: ChallengeProof
    }

    func authorize(_ urls: [String], for identifiers: Set<Identifier>) async throws {
        var answers: [Answer] = []
        for url in urls {
            let authorization = try await account.post([], to: url).decode(Authorization.self)
            let identifier = authorization.identifier
            guard identifiers.contains(identifier.canonical ?? identifier) else {
                throw ACMEClientError.otherIdentifiers([identifier])
            }
            switch authorization.status {
            case .valid: continue
            case .pending: answers.append(try answer(to: authorization, at: url))
            case .invalid, .deactivated, .expired, .revoked:
                throw ACMEClientError.authorizationLost(identifier, authorization.status)
            }
        }
        var presented: [Answer] = []
        do {
            // All of them first, so that records spread in the DNS at the same time.
            for answer in answers {
                presented.append(answer)
                try await answer.responder.present(answer.proof)
            }
            for answer in answers { _ = try await account.post(Array("{}".utf8), to: answer.challenge.url) }
            for answer in answers { try await waitUntilValid(answer) }
        } catch {
            await withdraw(presented)
            throw error
        }
        await withdraw(presented)
    }

    private func withdraw(_ answers: [Answer]) async {
        for answer in answers { await answer.responder.withdraw(answer.proof) }
    }

    private func answer(to authorization: Authorization, at url: String) throws(ACMEClientError) -> Answer {
        for responder in responders {
            for challenge in authorization.challenges where challenge.type == responder.kind {
                // A token that is none could name another file.
                guard let token = challenge.token, KeyAuthorization.isToken(token) else { continue }
                let proof = ChallengeProof(
                    identifier: authorization.identifier, token: token,
                    authorization: KeyAuthorization(token: token, key: account.key.publicKey))
                return Answer(url: url, challenge: challenge, responder: responder, proof: proof)
            }
        }
        throw .noUsableChallenge(authorization.identifier, offered: authorization.challenges.map(\.type))
    }

    private func waitUntilValid(_ answer: Answer) async throws {
        let authorization = try await Poll(account: account, deadline: deadline)
            .wait(for: answer.url, as: Authorization.self) { $0.status != .pending }
        switch authorization.status {
        case .valid: return
        case .invalid:
            let problem = authorization.challenges.first { $0.type == answer.challenge.type }?.error
            throw ACMEClientError.challengeFailed(answer.proof.identifier, answer.challenge.type, problem)
        case .pending, .deactivated, .expired, .revoked:
            throw ACMEClientError.authorizationLost(answer.proof.identifier, authorization.status)
        }
    }
}
