// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc
    import WireGuardProtocol

    /// Waits until one of several descriptors is readable (epoll).
    struct Poller: ~Copyable {
        private static let batch = 64
        private let descriptor: Int32
        private let events: UnsafeMutableBufferPointer<epoll_event>

        init() throws(TunnelError) {
            descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
            events = .allocate(capacity: Self.batch)
            events.initialize(repeating: epoll_event())
            guard descriptor >= 0 else { throw .lastSystemCall("wait for packets") }
        }

        deinit {
            close(descriptor)
            events.deallocate()
        }

        /// Adds a descriptor.
        ///
        /// - Parameters:
        ///   - watched: The descriptor.
        ///   - tag: The identifier of the descriptor in ``event(_:)``.
        /// - Throws: ``TunnelError``.
        func add(_ watched: Int32, tag: Int) throws(TunnelError) {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(bitPattern: Int64(tag))
            guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else {
                throw .lastSystemCall("wait for packets")
            }
        }

        func remove(_ watched: Int32) { _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil) }

        /// An event of a descriptor.
        struct Event {
            let tag: Int
            let hasError: Bool
        }

        /// Waits until a descriptor is ready or the deadline has passed.
        ///
        /// - Parameters:
        ///   - deadline: The latest time to return; `nil` for none.
        ///   - now: The current time.
        /// - Returns: The number of descriptors that are ready or have an error; ``event(_:)`` returns each of them.
        func wait(until deadline: Instant?, now: Instant) -> Int {
            let milliseconds = deadline.map { Self.milliseconds(until: $0, now: now) } ?? -1
            return max(0, Int(epoll_wait(descriptor, events.baseAddress, Int32(Self.batch), milliseconds)))
        }

        /// Returns one of the events of the last call to ``wait(until:now:)``.
        func event(_ index: Int) -> Event {
            Event(
                tag: Int(Int64(bitPattern: events[index].data.u64)),
                hasError: events[index].events & EPOLLERR.rawValue != 0)
        }

        private static func milliseconds(until deadline: Instant, now: Instant) -> Int32 {
            // The timeout is rounded up, so that the wait does not end before the deadline.
            return Int32(clamping: max(0, deadline.nanoseconds(since: now) / 1_000_000 + 1))
        }
    }
#endif
