// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(dnssd) || DNSServiceDiscovery
    import Dispatch

    #if canImport(dnssd)
        import dnssd
    #else
        import CDNSServiceDiscovery
    #endif

    /// A dns_sd operation, which invokes its callback until it is ended.
    ///
    /// Only one thread at a time may use a dns_sd reference, so the operation's queue runs all calls and callbacks.
    actor DNSServiceOperation<Reply: Sendable> {
        /// The call that starts the operation; its callback passes the context to ``reply(_:_:_:)``.
        typealias Start =
            @Sendable (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> DNSServiceErrorType

        private let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        private let function: String
        private var start: Start
        private var running: (reference: DNSServiceRef, source: any DispatchSourceRead)?
        private var isEnded = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private let continuation: AsyncThrowingStream<Reply?, any Error>.Continuation

        /// Creates an operation, which ``run()`` starts.
        ///
        /// - Parameters:
        ///   - function: The name of the function that `start` calls.
        ///   - start: The call.
        ///   - continuation: The receiver of the replies; `nil` means that the responder has terminated and that
        ///     earlier replies are invalid.
        init(
            _ function: String, _ start: @escaping Start,
            _ continuation: AsyncThrowingStream<Reply?, any Error>.Continuation
        ) {
            (self.function, self.start, self.continuation) = (function, start, continuation)
        }

        /// Starts the operation.
        ///
        /// If the responder terminates, the operation is restarted every second until that succeeds.
        ///
        /// - Throws: ``ServiceDiscoveryError`` if the call fails.
        func run() throws(ServiceDiscoveryError) {
            var reference: DNSServiceRef?
            // The handlers of the dispatch source keep this object alive until the reference is deallocated.
            let error = start(&reference, Unmanaged.passUnretained(self).toOpaque())
            guard error == kDNSServiceErr_NoError, let reference else {
                throw ServiceDiscoveryError(dnssd: error, of: function)
            }
            let source = DispatchSource.makeReadSource(
                fileDescriptor: DNSServiceRefSockFD(reference), queue: executor.queue)
            source.setEventHandler { self.assumeIsolated { $0.process() } }
            source.setCancelHandler { self.assumeIsolated { $0.deallocate() } }
            running = (reference, source)
            source.activate()
        }

        private func process() {
            guard let running else { return }
            receive(DNSServiceProcessResult(running.reference), nil)
        }

        /// Handles a dns_sd callback.
        static func reply(_ context: UnsafeMutableRawPointer?, _ error: DNSServiceErrorType, _ reply: Reply?) {
            guard let context else { return }
            Unmanaged<DNSServiceOperation>.fromOpaque(context).takeUnretainedValue().assumeIsolated {
                $0.receive(error, reply)
            }
        }

        private func receive(_ error: DNSServiceErrorType, _ reply: Reply?) {
            guard error != kDNSServiceErr_NoError else {
                if let reply { continuation.yield(reply) }
                return
            }
            let problem = ServiceDiscoveryError(dnssd: error, of: function)
            guard problem.isRestartOfResponder else { return continuation.finish(throwing: problem) }
            guard let running, !running.source.isCancelled else { return }
            continuation.yield(nil)
            running.source.cancel()
        }

        /// Deallocates the reference, which closes its socket, after the queue has stopped monitoring the socket.
        private func deallocate() {
            guard let reference = running?.reference else { return }
            DNSServiceRefDeallocate(reference)
            running = nil
            for waiter in waiting { waiter.resume() }
            waiting = []
            if !isEnded { Task { await self.runAgain() } }
        }

        private func runAgain() async {
            while !isEnded, running == nil {
                try? await Task.sleep(for: .seconds(1))
                guard !isEnded else { return }
                do {
                    try run()
                } catch {
                    guard error.isRestartOfResponder else { return continuation.finish(throwing: error) }
                }
            }
        }

        /// Changes the data of the record that the operation has registered.
        ///
        /// - Parameters:
        ///   - data: The new data.
        ///   - start: The call that registers the new data after the responder has restarted.
        /// - Throws: ``ServiceDiscoveryError`` if the responder returns an error.
        func update(_ data: [UInt8], start: @escaping Start) throws(ServiceDiscoveryError) {
            self.start = start
            guard let running else { return }
            let error = DNSServiceUpdateRecord(running.reference, nil, 0, UInt16(data.count), data, 0)
            guard error == kDNSServiceErr_NoError else {
                throw ServiceDiscoveryError(dnssd: error, of: "DNSServiceUpdateRecord")
            }
        }

        /// Ends the operation; the responder sends a goodbye packet for its records.
        func end() async {
            isEnded = true
            continuation.finish()
            guard let running else { return }
            running.source.cancel()
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// An executor that runs an actor on a dispatch queue; Dispatch's own conformance exists only on Apple platforms.
    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "dns_sd")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    extension ServiceDiscoveryError {
        /// Creates an error from a dns_sd error code.
        init(dnssd error: DNSServiceErrorType, of function: String) {
            switch Int(error) {
            case kDNSServiceErr_Unsupported: self = .dnssdUnsupported(function)
            // kDNSServiceErr_ServiceNotRunning and kDNSServiceErr_DefunctConnection, which only Apple's header defines;
            // Avahi 0.8 returns kDNSServiceErr_Unknown.
            case kDNSServiceErr_Unknown, -65563, -65569: self = .dnssdUnavailable("\(function) failed with \(error)")
            default: self = .dnssdRefused(function, code: error)
            }
        }

        fileprivate var isRestartOfResponder: Bool { if case .dnssdUnavailable = self { true } else { false } }
    }
#endif
