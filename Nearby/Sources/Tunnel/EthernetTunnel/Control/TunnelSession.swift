// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    /// The session of one key generation, from the offers to its termination.
    struct TunnelSession: Sendable {
        /// The reason for the termination of a session.
        enum End: Hashable, Sendable {
            /// The keys must be replaced because of their age; they remain valid until new keys are in use.
            case rolled
            /// The connection was lost. The keys remain valid for a grace period.
            case lost
            /// The peer closed the tunnel. Holds the reason.
            case bye(String)
        }

        enum Event: Sendable {
            case message(ControlMessage)
            case plane(DataPlaneEvent)
            /// The connection closed, with the error that closed it.
            case closed((any Error)?)
            case tick
        }

        /// The timeout for the first packets.
        static let timeout = Duration.seconds(30)
        /// The grace period of the keys without a connection, so that traffic continues during a reconnection.
        static let grace = Duration.seconds(60)
        private static let aliveInterval = Duration.seconds(5)
        private static let silenceLimit = Duration.seconds(17)

        /// The offer to send on the connecting side; `nil` to wait for the peer's offer.
        let hello: ControlMessage.Offer?
        /// Activates the keys derived from the peer's offer, and returns the reply if the peer's offer came first.
        let accept: @Sendable (ControlMessage.Offer) async throws -> ControlMessage.Offer?
        /// Evaluates the peer's certificate.
        let check: @Sendable () throws -> Void
        let recheck: Duration
        /// The age at which to replace the keys; `nil` if the other side replaces them.
        let roll: Duration?
        /// Called with the events of the keys.
        let sendEvent: @Sendable (DataPlaneEvent) -> Void

        /// Runs a session until it terminates.
        ///
        /// - Parameters:
        ///   - channel: The connection to the peer, which is closed at the end.
        ///   - planeEvents: The data plane's events about the keys.
        /// - Returns: The reason for the termination.
        /// - Throws: The errors of ``check`` and ``accept``, and ``TunnelError`` if no keys are agreed or no packet
        ///   arrives.
        func follow(_ channel: ControlChannel, planeEvents: AsyncStream<DataPlaneEvent>) async throws -> End {
            do {
                let end = try await exchange(channel, planeEvents: planeEvents)
                await channel.close()
                return end
            } catch {
                let reason = error is CancellationError ? "it is shutting down" : "it rejects this peer"
                try? channel.send(.bye(reason))
                await channel.close()
                throw error
            }
        }

        private func exchange(
            _ channel: ControlChannel, planeEvents: AsyncStream<DataPlaneEvent>
        ) async throws -> End {
            let (events, continuation) = AsyncStream.makeStream(of: Event.self)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        for try await message in channel.messages { continuation.yield(.message(message)) }
                        continuation.yield(.closed(nil))
                    } catch {
                        continuation.yield(.closed(error))
                    }
                }
                group.addTask { for await event in planeEvents { continuation.yield(.plane(event)) } }
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: .seconds(1))
                        continuation.yield(.tick)
                    }
                }
                defer { group.cancelAll() }
                if let hello { try channel.send(.hello(hello)) }
                var progress = Progress()
                for await event in events {
                    if let end = try await take(event, &progress, channel) { return end }
                }
                throw CancellationError()
            }
        }

        /// The progress of a session.
        private struct Progress {
            let started = ContinuousClock.now
            var heard = ContinuousClock.now
            var sent = ContinuousClock.now
            var checked = ContinuousClock.now
            var hasKeys = false
            var isEstablished = false
        }

        /// - Returns: The termination reason, if the event terminates the session.
        private func take(
            _ event: Event, _ progress: inout Progress, _ channel: ControlChannel
        ) async throws -> End? {
            switch event {
            case .message(let message): return try await take(message, &progress, channel)
            case .closed(let error):
                guard progress.hasKeys else { throw error ?? TunnelError.noKeysAgreed }
                return .lost
            case .plane(let event):
                if case .established = event { progress.isEstablished = true }
                if case .refused = event { throw TunnelError.malformedMessage("its public key cannot be used") }
                sendEvent(event)
                return nil
            case .tick: return try takeTick(&progress, channel)
            }
        }

        private func take(
            _ message: ControlMessage, _ progress: inout Progress, _ channel: ControlChannel
        ) async throws -> End? {
            progress.heard = .now
            switch message {
            case .hello(let offer) where hello == nil && !progress.hasKeys:
                if let answer = try await accept(offer) { try channel.send(.welcome(answer)) }
                progress.hasKeys = true
            case .welcome(let offer) where hello != nil && !progress.hasKeys:
                _ = try await accept(offer)
                progress.hasKeys = true
            case .bye(let reason): return .bye(reason)
            case .alive where progress.hasKeys: return nil
            default: throw TunnelError.malformedMessage("its message is out of order")
            }
            return nil
        }

        private func takeTick(_ progress: inout Progress, _ channel: ControlChannel) throws -> End? {
            let now = ContinuousClock.now
            if progress.hasKeys, now - progress.checked >= recheck {
                progress.checked = now
                try check()
            }
            guard progress.isEstablished || now - progress.started < Self.timeout else {
                throw progress.hasKeys ? TunnelError.noPackets : TunnelError.noKeysAgreed
            }
            if now - progress.heard > Self.silenceLimit { return .lost }
            if let roll, progress.isEstablished, now - progress.started >= roll { return .rolled }
            if progress.hasKeys, now - progress.sent >= Self.aliveInterval {
                progress.sent = now
                do { try channel.send(.alive) } catch { return .lost }
            }
            return nil
        }
    }
#endif
