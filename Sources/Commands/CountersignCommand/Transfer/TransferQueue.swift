// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Challenges
import CommandSession
import CommandSupport
import Countersign
import HTTPTypes

/// Runs the transfers of a command line: one after the other, or a limited number at once.
struct TransferQueue {
    let transfers: [SingleTransfer]
    let options: ParallelOptions
    let console: Console

    /// - Returns: The outcome of each started transfer, in the order of the URLs.
    func run(in session: HTTPSession) async -> [SingleTransfer.Outcome] {
        var outcomes: [SingleTransfer.Outcome] = []
        await withTaskGroup(of: SingleTransfer.Outcome.self) { group in
            var waiting = transfers[...]
            for transfer in waiting.prefix(options.width) {
                group.addTask { await transfer.perform(in: session) }
            }
            waiting = waiting.dropFirst(options.width)
            while let outcome = await group.next() {
                outcomes.append(outcome)
                report(outcome)
                let isOver = Task.isCancelled || options.failEarly && outcome.facts.status != .done
                if isOver { waiting = [] }
                guard let next = waiting.popFirst() else { continue }
                group.addTask { await next.perform(in: session) }
            }
        }
        return outcomes.sorted { $0.facts.number < $1.facts.number }
    }

    /// Prints the failure of one of several transfers; the command prints the failure of a single transfer, with
    /// further information.
    private func report(_ outcome: SingleTransfer.Outcome) {
        guard transfers.count > 1, let failure = outcome.unreported, failure.status != .interrupted else { return }
        console.printError(failure)
    }
}

/// The options for several URLs.
struct ParallelOptions: ParsableArguments {
    @Flag(
        name: [.customShort("Z"), .customLong("parallel")],
        help: ArgumentHelp(
            "Transfer several URLs at once, each to a file (-O or -o).",
            discussion: "There is no progress then, and nothing is asked on the terminal."))
    var isParallel = false

    @Option(
        name: .customLong("parallel-max"),
        help: ArgumentHelp("The number of simultaneous transfers of --parallel; 8 by default.", valueName: "number"),
        transform: Self.count)
    var limit: Int?

    @Flag(help: "Start no further transfer after one has failed.")
    var failEarly = false

    /// The maximum number of simultaneous transfers.
    var width: Int { isParallel ? limit ?? Self.defaultWidth : 1 }

    private static let defaultWidth = 8

    func checkUnusedOptions() throws(UsageError) {
        if limit != nil, !isParallel { throw .useless("--parallel-max", without: "--parallel") }
    }

    private static func count(_ text: String) throws(WrongValue) -> Int {
        guard let count = Int(text), (1...300).contains(count) else { throw WrongValue("write a number from 1 to 300") }
        return count
    }
}

/// The transfer for one URL of the command line, including the output after it.
struct SingleTransfer: Sendable {
    /// The position on the command line, counted from 0.
    let number: Int
    /// The URL as typed on the command line.
    let url: String
    let request: SessionRequest
    let target: BodyTarget
    let options: any TransferOptions
    let partialFiles: PartialFileUse
    let console: Console
    let originHandlers: OriginHandlers
    let log: EventLog
    let upload: UploadProgress
    let names: OutputNames
    let limit: TimeLimit
    let heads: HeaderDump
    let writeOut: WriteOutFormat?
    let connectTargets: [HostEndpoint: ConnectTarget]

    /// The outcome of the transfer.
    struct Outcome: Sendable {
        var facts: TransferMetrics
        /// The failure, if it has not been printed yet.
        var unreported: Failure?
    }

    func perform(in session: HTTPSession) async -> Outcome {
        let history = RedirectHistory()
        var outcome = Outcome(
            facts: TransferMetrics(
                number: number, url: url, method: request.method, referer: options.request.referer, start: .now,
                redirects: history, showsSecrets: options.showSecrets))
        do {
            try await send(following: history, in: session, &outcome.facts)
        } catch {
            outcome.fail(Failure(originHandlers.explaining(limit.reason(for: error, of: url))))
        }
        outcome.facts.end = .now
        outcome.facts.connectCount = log.connectionCount(of: request.identifier)
        do {
            try printWriteOut(outcome.facts)
        } catch {
            if outcome.unreported == nil { outcome.fail(Failure(error)) }
        }
        return outcome
    }

    private func send(
        following history: RedirectHistory, in session: HTTPSession, _ facts: inout TransferMetrics
    ) async throws {
        var request = request
        request.redirectDecision = { redirect in
            history.note(redirect)
            return .follow
        }
        let delivery = Delivery(transfer: self)
        if partialFiles != .none, let path = target.path {
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

    private func printWriteOut(_ facts: TransferMetrics) throws {
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
