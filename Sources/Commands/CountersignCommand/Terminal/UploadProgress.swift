// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import NIOConcurrencyHelpers

/// Shows on a terminal how much of a request's body was sent.
final class UploadProgress: Sendable {
    private let console: Console
    private let bar = NIOLockedValueBox<ProgressBar?>(nil)

    init(on console: Console) {
        self.console = console
    }

    /// The body, which reports how far it is; as it was where no bar is shown, or where it is in memory and soon sent.
    func watching(_ body: RequestBody) -> RequestBody {
        console.showsProgress && body.isStreamed ? body.reporting { self.note($0) } : body
    }

    /// How much of the body was sent, in bytes; `nil` before its first part.
    var completed: Int? { bar.withLockedValue { $0?.received } }

    func note(_ progress: TransferProgress) {
        bar.withLockedValue { bar in
            var current = bar ?? newBar(of: progress)
            // A challenge or a redirect asks for the body again, from its beginning.
            if progress.completed < current.received {
                current.finish()
                current = newBar(of: progress)
            }
            current.add(progress.completed - current.received)
            if progress.completed == progress.total { current.finish() }
            bar = current
        }
    }

    /// Takes the bar away, before another line is printed in its place.
    func clear() { bar.withLockedValue { $0?.finish() } }

    private func newBar(of progress: TransferProgress) -> ProgressBar {
        ProgressBar(total: progress.total, width: { self.console.errorWidth }) { self.console.writeError($0) }
    }
}
