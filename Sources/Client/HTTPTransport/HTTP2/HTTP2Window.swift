// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The flow-control windows of a connection and of its streams (RFC 9113 section 5.2).
///
/// ``HTTP2ConnectionStateMachine`` counts DATA in both directions. For requests, ``HTTP2Stream`` holds body parts until
/// the windows allow them. For responses, ``BodyQueue`` reports when its reader accepts more bytes, and ``HTTP2Stream``
/// restores the stream's window only then.
enum HTTP2Window {
    /// The maximum size of a window, in bytes (section 6.9.1).
    static let largest = 0x7fff_ffff

    /// The initial size of every window until the peer changes it, in bytes (section 6.9.2).
    static let initial = 65_535

    /// The client's window for the response body of one stream, in bytes.
    static let streamSize = 1 << 20

    /// The client's window for all response bodies of a connection, in bytes; it is restored as soon as DATA arrives.
    static let connectionSize = 8 << 20

    /// A window for sending, which the server enlarges with WINDOW_UPDATE.
    struct Sending {
        /// The number of bytes that may be sent; a change of the settings can make it negative (section 6.9.2).
        private(set) var size: Int

        init(_ size: Int = HTTP2Window.initial) { self.size = size }

        mutating func use(_ count: Int) { size -= count }

        /// Enlarges the window, or shrinks it after a change of the settings.
        ///
        /// - Returns: `false` if the size would exceed the maximum.
        mutating func open(by increment: Int) -> Bool {
            guard size + increment <= HTTP2Window.largest else { return false }
            size += increment
            return true
        }
    }

    /// A window for receiving, which the client restores once half of it is consumed.
    struct Receiving {
        /// The number of bytes that the server may send.
        private(set) var size: Int
        private let limit: Int
        /// The number of consumed bytes that are not announced to the server yet.
        private var consumed = 0

        init(_ limit: Int) { (size, self.limit) = (limit, limit) }

        /// Subtracts the size of a DATA frame from the window.
        ///
        /// - Returns: Whether the window was large enough.
        mutating func use(_ count: Int) -> Bool {
            guard count <= size else { return false }
            size -= count
            return true
        }

        /// Adds consumed bytes.
        ///
        /// - Returns: The increment to announce, in bytes, once it is half of the window.
        mutating func consume(_ count: Int) -> Int? {
            consumed += count
            guard consumed >= limit / 2 else { return nil }
            defer { consumed = 0 }
            size += consumed
            return consumed
        }
    }
}
