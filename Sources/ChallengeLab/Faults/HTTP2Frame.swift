// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A frame of HTTP/2 (RFC 9113 section 4.1), as it is sent; nothing in it needs to be right.
public struct HTTP2Frame: Hashable, Sendable {
    /// The type of a frame, by its number.
    public enum Kind: Hashable, Sendable {
        case data
        case headers
        case priority
        case resetStream
        case settings
        case pushPromise
        case ping
        case goAway
        case windowUpdate
        case continuation
        /// One that may be none.
        case other(UInt8)

        var number: UInt8 {
            switch self {
            case .data: 0
            case .headers: 1
            case .priority: 2
            case .resetStream: 3
            case .settings: 4
            case .pushPromise: 5
            case .ping: 6
            case .goAway: 7
            case .windowUpdate: 8
            case .continuation: 9
            case .other(let number): number
            }
        }
    }

    /// The stream of a frame, or the connection.
    public enum Stream: Hashable, Sendable {
        case connection
        /// That of the request that is being answered.
        case requested
        case number(UInt32)
    }

    /// Flags (RFC 9113 section 6).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits as they are sent.
        public let rawValue: UInt8

        /// Flags by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Nothing follows on the stream.
        public static let endStream = Self(rawValue: 0x1)
        /// What the peer sent was understood.
        public static let acknowledgement = Self(rawValue: 0x1)
        /// No CONTINUATION follows.
        public static let endHeaders = Self(rawValue: 0x4)
        /// The first byte counts those that stand at the end for nothing.
        public static let padded = Self(rawValue: 0x8)
    }

    /// What it is.
    public let kind: Kind
    /// How it is meant.
    public let flags: Flags
    /// What it is about.
    public let stream: Stream
    /// What it holds.
    public let payload: [UInt8]
    /// The length that it says, where that is not its payload's.
    public let saidLength: Int?

    /// A frame of your own.
    public init(
        _ kind: Kind, _ flags: Flags = [], on stream: Stream = .connection, _ payload: [UInt8] = [],
        saidLength: Int? = nil
    ) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
        self.saidLength = saidLength
    }

    /// The bytes of the frame.
    func encoded(answering requested: UInt32) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: saidLength ?? payload.count)
        let number =
            switch stream {
            case .connection: UInt32(0)
            case .requested: requested
            case .number(let number): number
            }
        return length.bytes.dropFirst() + [kind.number, flags.rawValue] + number.bytes + payload
    }
}

extension UInt32 {
    /// In the order of the network.
    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
