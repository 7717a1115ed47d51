// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign

/// Runs the transfers of a command line: one after the other, or a bounded number at once.
struct TransferQueue {
    let transfers: [SingleTransfer]
    let options: ParallelOptions
    let console: Console

    /// - Returns: What came of each transfer that was begun, in the order of the URLs.
    func run(in session: Session) async -> [SingleTransfer.Outcome] {
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

    /// Prints why one of several failed; of a single one the command does, with what else it knows.
    private func report(_ outcome: SingleTransfer.Outcome) {
        guard transfers.count > 1, let failure = outcome.unreported, failure.status != .interrupted else { return }
        console.complain(failure.text)
    }
}
