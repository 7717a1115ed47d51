// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import CommandSession
import CommandSupport
import Countersign
import HTTPTypes

/// One URL of the command line, from its request to what is printed after it.
struct SingleTransfer: Sendable {
    /// The place on the command line, from 0.
    let number: Int
    /// As it was given.
    let url: String
    let request: Request
    let target: BodyTarget
    let options: any TransferOptions
    /// Whether an interrupted download is resumed.
    let continues: Bool
    let console: Console
    let people: PersonalHandlers
    let log: EventLog
    let upload: UploadProgress
    let limit: TimeLimit
    let heads: HeadDump
    let writeOut: WriteOutFormat?
    let connectTargets: [Endpoint: ConnectTarget]

    /// What came of it.
    struct Outcome: Sendable {
        var facts: TransferFacts
        /// Why it failed, where nothing has been printed about it yet.
        var unreported: Failure?
    }

    func perform(in session: Session) async -> Outcome {
        let history = RedirectHistory()
        var outcome = Outcome(
            facts: TransferFacts(
                number: number, url: url, method: request.method, referer: options.request.referer, start: .now,
                redirects: history, showsSecrets: options.showSecrets))
        do {
            try await send(following: history, in: session, &outcome.facts)
        } catch {
            outcome.fail(Failure(people.explaining(limit.reason(for: error, of: url))))
        }
        outcome.facts.end = .now
        outcome.facts.connectCount = connectCount(outcome.facts)
        do {
            try printWriteOut(outcome.facts)
        } catch {
            if outcome.unreported == nil { outcome.fail(Failure(error)) }
        }
        return outcome
    }

    private func send(
        following history: RedirectHistory, in session: Session, _ facts: inout TransferFacts
    ) async throws {
        var request = request
        request.redirectDecision = { redirect in
            history.note(redirect)
            return .follow
        }
        let delivery = Delivery(transfer: self)
        if continues, let path = target.path {
            try await delivery.download(request, in: session, to: path, &facts)
        } else {
            defer { upload.clear() }
            let response = try await session.send(request)
            upload.clear()
            (facts.response, facts.responded) = (response, .now)
            facts.uploaded = request.body?.length ?? 0
            facts.targetPort = connectTargets[response.connection.endpoint]?.port
            try await delivery.deliver(response, &facts)
        }
    }

    /// Transfers that run at once share the log, which does not tell whose a connection is: only the last one is then counted.
    private func connectCount(_ facts: TransferFacts) -> Int {
        guard options.parallel.isParallel else { return log.connectionCount(since: facts.start) }
        return facts.response.map { $0.connection.opening.start >= facts.start ? 1 : 0 } ?? 0
    }

    private func printWriteOut(_ facts: TransferFacts) throws {
        guard let writeOut else { return }
        let text = WriteOutText(writeOut, facts)
        if !text.errors.isEmpty { console.writeError(text.errors) }
        if !text.output.isEmpty { try console.write(Array(text.output.utf8)) }
    }
}

extension SingleTransfer.Outcome {
    fileprivate mutating func fail(_ failure: Failure) {
        (unreported, facts.failure, facts.status) = (failure, failure, failure.status)
    }
}

extension ConnectTarget {
    fileprivate var port: Int? {
        if case .endpoint(let endpoint) = self { endpoint.port } else { nil }
    }
}
