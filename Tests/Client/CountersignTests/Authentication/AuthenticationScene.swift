// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes

@testable import Countersign

extension AuthenticationStateMachineTests {
    /// Carries out the actions of the state machine, with answers from a list, and describes them as text.
    struct Scene {
        private(set) var machine: AuthenticationStateMachine
        /// The user to whom the connection is bound.
        private(set) var connection: BoundUser?
        private(set) var memory: CredentialMemory.Accepted?
        private var budget = ChallengeResponseBudget()
        private var log: [String] = []

        init(_ row: Row) throws {
            let challenger =
                row.role == .origin
                ? Challenger(origin: try HTTPURL("https://a.test/b")) : Challenger(proxy: try Proxy("http://p.test:80"))
            machine = AuthenticationStateMachine(
                challenger: challenger, own: row.own, allowed: row.allowed, preference: row.preference, target: "/b")
        }

        /// Applies one event, and returns the resulting actions and the progress of the connection.
        mutating func play(_ event: Event) async throws -> String {
            log = []
            switch event {
            case .send(let mayExchange): try await send(mayExchange: mayExchange)
            case .challenge(let field, let answers): receive(field, answers)
            case .accept(let isGenuine): try accept(isGenuine: isGenuine)
            case .lose:
                connection = nil
                machine.restart()
            }
            if machine.progress != .none { log.append("\(machine.progress)") }
            return log.joined(separator: ", ")
        }

        private mutating func send(mayExchange: Bool) async throws {
            if machine.beginRequest() {
                if let memory {
                    machine.recall(memory)
                    if !memory.space.method.isConnectionBound { return log.append(memory.credential.user) }
                } else if let (credential, challenge) = machine.takePreemptive() {
                    machine.answer(challenge, with: credential, by: StandInScheme(), isChallenged: false)
                }
            }
            let attempt = machine.takeAttempt(over: connection, mayExchange: mayExchange, hasBody: false)
            guard var attempt else { return log.append("nothing") }
            log.append(try await attempt.answer(RequestFacts(method: "GET", target: "/b")))
            machine.noteAnswer(of: attempt)
            connection = machine.binding ?? connection
        }

        private mutating func receive(_ field: String, _ answers: [SessionEvent.Answer]) {
            var answers = answers[...]
            var action = machine.receive(HTTPChallenge.read([field]))
            while true {
                switch action {
                case .advance(let attempt, let challenges):
                    action = machine.advance(to: challenges.contains { $0.token68 != nil } ? attempt : nil)
                case .noteChallengesEachRequest:
                    log.append("note")
                    action = machine.sendOmittedAnswer()
                case .renew:
                    log.append("renew")
                    action = machine.renew(by: StandInScheme())
                case .forget(let attempt, let space):
                    log.append("forget \(attempt.credential.user) in \(space.realm ?? "nil")")
                    memory = nil
                    action = machine.chooseChallenge()
                case .findCredential(let challenge, let space):
                    log.append("find \(space.method) \(space.realm ?? "nil")")
                    if challenge["flawed"] != nil {
                        action = machine.skip(challenge, because: .unanswerable(.missingParameter("nonce")))
                    } else {
                        let answer = budget.take(for: space) ? answers.popFirst() : .limitReached
                        action = machine.receive(answer ?? .performedDefault, to: challenge, by: StandInScheme())
                    }
                case .sendAgain: return log.append("again")
                case .deliver: return log.append(machine.offersNoneAllowed ? "deliver, none allowed" : "deliver")
                case .fail(let error): return log.append("fail \(error.code)")
                }
            }
        }

        private mutating func accept(isGenuine: Bool) throws {
            switch try machine.accept([:], body: isGenuine ? nil : []) {
            case .none: break
            case .remember(let accepted):
                log.append("remember \(accepted.credential.user)")
                memory = accepted
                budget.noteAcceptance(in: accepted.space)
            case .update: log.append("update")
            case .refuse(let attempt, _): log.append("refuse \(attempt.credential.user)")
            }
        }
    }

    /// A scheme that sends the user name as its response, and accepts a server's proof if the body is empty.
    private struct StandInScheme: HTTPAuthenticator {
        mutating func authorization(
            with credential: Credential, for request: RequestFacts
        ) throws(HTTPAuthenticatorError) -> String { credential.user }

        func isRenewed(by challenge: HTTPChallenge) -> Bool { challenge.method == .digest }

        mutating func receive(
            _ response: AcceptedResponse, with credential: Credential
        ) throws(HTTPAuthenticatorError) -> Bool {
            if response.body != nil { throw .wrongServerProof }
            return false
        }
    }
}

extension Credential {
    fileprivate var user: String {
        guard case .password(let user, _) = kind else { return "" }
        return user
    }
}
