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

/// Runs a tunnel that is set up, until a signal ends it.
enum TunnelRun {
    /// Gives up privileges, and runs; call it before other threads are made.
    ///
    /// - Parameters:
    ///   - options: The user to become, and how events are printed.
    ///   - body: Runs the tunnel until its task is cancelled.
    /// - Throws: What `body` throws, and `TunnelError` where privileges cannot be given up.
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
            // The source gets the signal; the default action would end the process without removing anything.
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
