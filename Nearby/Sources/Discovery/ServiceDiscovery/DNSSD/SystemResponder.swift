// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(dnssd) || DNSServiceDiscovery
    /// The system responder, used through the dns_sd C functions.
    ///
    /// It uses only features that Avahi's compatibility layer supports: no flags, no shared connection, and
    /// DNSServiceQueryRecord for addresses.
    actor SystemResponder: DiscoveryBackend {
        private var ends: [Int: @Sendable () async -> Void] = [:]
        private var lastOperation = 0

        /// - Throws: ``ServiceDiscoveryError/dnssdUnavailable(_:)`` if no responder is running.
        static func connect() async throws -> SystemResponder {
            let responder = SystemResponder()
            // Avahi's library has no DNSServiceCreateConnection, so a short operation tests whether a responder is
            // running.
            _ = try await responder.browseTypes()
            return responder
        }

        /// Starts an operation, which ends when its stream is dropped or the responder is closed.
        func startOperation<Reply>(
            _ function: String, _: Reply.Type, _ start: @escaping DNSServiceOperation<Reply>.Start
        ) async throws -> (operation: DNSServiceOperation<Reply>, replies: AsyncThrowingStream<Reply?, any Error>) {
            let (replies, continuation) = AsyncThrowingStream<Reply?, any Error>.makeStream()
            let operation = DNSServiceOperation(function, start, continuation)
            lastOperation += 1
            let id = lastOperation
            ends[id] = { await operation.end() }
            continuation.onTermination = { _ in Task { await self.end(id) } }
            try await operation.run()
            return (operation, replies)
        }

        private func end(_ id: Int) async { await ends.removeValue(forKey: id)?() }

        func close() async {
            for id in ends.keys { await end(id) }
        }
    }
#endif
