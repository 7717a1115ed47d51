// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import CTunnel
    import Glibc

    /// Waits until one of several descriptors can be read (epoll).
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

        /// Waits for a descriptor too.
        ///
        /// - Parameters:
        ///   - watched: The descriptor.
        ///   - tag: What ``wait(until:_:)`` calls it.
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

        /// Waits.
        ///
        /// - Parameter deadline: When to return at the latest.
        /// - Returns: The tags of the descriptors that are ready or have an error.
        func wait(until deadline: ContinuousClock.Instant?) -> some Sequence<Int> {
            let count = epoll_wait(
                descriptor, events.baseAddress, Int32(Self.batch), Self.milliseconds(until: deadline))
            return events[..<Swift.max(0, Int(count))].lazy.map { Int(Int64(bitPattern: $0.data.u64)) }
        }

        private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
            guard let deadline else { return -1 }
            let (seconds, attoseconds) = (deadline - .now).components
            // Rounded up, so that a wait ends when the time has come.
            return Int32(clamping: max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
        }
    }
#endif
