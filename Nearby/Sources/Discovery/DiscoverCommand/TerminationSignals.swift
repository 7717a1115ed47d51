// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reports Ctrl-C and the system's termination signals.
struct TerminationSignals {
    private let sources: [any DispatchSourceSignal]
    /// An element for each signal.
    let signals: AsyncStream<Void>

    init() {
        let (signals, continuation) = AsyncStream<Void>.makeStream()
        self.signals = signals
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    /// Stops handling the signals.
    func end() {
        for source in sources { source.cancel() }
    }
}
