// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import EthernetTunnel
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs a tunnel until a signal terminates it.
enum TunnelRun {
    /// Drops privileges and runs the tunnel; call it before creating other threads.
    ///
    /// - Parameters:
    ///   - options: The user to switch to, and the output format of events.
    ///   - body: Runs the tunnel until its task is cancelled.
    /// - Throws: The errors of `body`, and `TunnelError` if privileges cannot be dropped.
    static func run(
        _ options: SegmentOptions,
        _ body: @escaping @Sendable (@escaping @Sendable (TunnelEvent) -> Void) async throws -> Void
    ) throws {
        #if os(Linux)
            try Privileges.drop(toUser: options.user)
        #endif
        let printer = EventPrinter(isJSON: options.json)
        let outcome = Mutex<Result<Void, any Error>>(.success(()))
        let isOver = DispatchSemaphore(value: 0)
        let tunnel = Task {
            do {
                try await body { printer.print($0) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            isOver.signal()
        }
        let sources = [SIGINT, SIGTERM].map { number in
            // The dispatch source handles the signal; the default action would terminate the process without any
            // cleanup.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { tunnel.cancel() }
            source.resume()
            return source
        }
        isOver.wait()
        for source in sources { source.cancel() }
        do {
            try outcome.withLock(\.self).get()
        } catch is CancellationError {}
    }
}
