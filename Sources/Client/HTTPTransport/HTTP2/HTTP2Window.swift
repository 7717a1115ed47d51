// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The flow-control windows of a connection and of its streams (RFC 9113 section 5.2).
///
/// ``HTTP2ConnectionStateMachine`` counts DATA in both directions. On the way to the server, ``HTTP2Stream`` holds parts of a request's
/// body until the windows let them through. On the way back, ``BodyQueue`` tells when its reader has room, and ``HTTP2Stream`` gives the
/// window of the stream back only then.
enum HTTP2Window {
    /// The largest window, in bytes (section 6.9.1).
    static let largest = 0x7fff_ffff

    /// The size of every window until the peer changes it, in bytes (section 6.9.2).
    static let initial = 65_535

    /// How much a server may send of one body before it is read, in bytes.
    static let ofStream = 1 << 20

    /// The same of all bodies of a connection together, in bytes.
    static let ofConnection = 8 << 20

    /// A window for what the client sends, which the server opens by WINDOW_UPDATE.
    struct Sending {
        /// How much may be sent, in bytes; a change of the settings can make it negative (section 6.9.2).
        private(set) var size: Int

        init(_ size: Int = HTTP2Window.initial) { self.size = size }

        mutating func use(_ count: Int) { size -= count }

        /// Makes the window larger, or, as the settings can, smaller.
        ///
        /// - Returns: `false` if no window may be so large.
        mutating func open(by increment: Int) -> Bool {
            guard size + increment <= HTTP2Window.largest else { return false }
            size += increment
            return true
        }
    }

    /// A window for what the server sends, which the client opens once half of it was consumed.
    struct Receiving {
        /// How much the server may send, in bytes.
        private(set) var size: Int
        private let limit: Int
        /// How much was consumed and not announced to the server, in bytes.
        private var consumed = 0

        init(_ limit: Int) { (size, self.limit) = (limit, limit) }

        /// Takes what a DATA frame uses of the window.
        ///
        /// - Returns: Whether the server was allowed to send it.
        mutating func use(_ count: Int) -> Bool {
            guard count <= size else { return false }
            size -= count
            return true
        }

        /// Gives back what was consumed.
        ///
        /// - Returns: The increment to announce, once it is half of the window, in bytes.
        mutating func consume(_ count: Int) -> Int? {
            consumed += count
            guard consumed >= limit / 2 else { return nil }
            defer { consumed = 0 }
            size += consumed
            return consumed
        }
    }
}
