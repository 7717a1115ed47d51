// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An HTTP/2 frame (RFC 9113 section 4.1) that is sent unchanged, even if it violates the protocol.
public struct RawHTTP2Frame: Hashable, Sendable {
    /// The type of a frame (RFC 9113 section 6).
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// DATA, type 0.
        case data
        /// HEADERS, type 1.
        case headers
        /// PRIORITY, type 2.
        case priority
        /// RST_STREAM, type 3.
        case resetStream
        /// SETTINGS, type 4.
        case settings
        /// PUSH_PROMISE, type 5.
        case pushPromise
        /// PING, type 6.
        case ping
        /// GOAWAY, type 7.
        case goAway
        /// WINDOW_UPDATE, type 8.
        case windowUpdate
        /// CONTINUATION, type 9.
        case continuation
        /// The type with a number, which can be an undefined one.
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

    /// The stream identifier of a frame.
    public enum Stream: Hashable, Sendable {
        /// The connection, stream 0.
        case connection
        /// The stream of the request to which the server responds.
        case requested
        /// The stream with a number.
        case number(UInt32)
    }

    /// The flags of a frame (RFC 9113 section 6).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The encoded bits.
        public let rawValue: UInt8

        /// Creates flags from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The END_STREAM flag: no frame follows on the stream.
        public static let endStream = Self(rawValue: 0x1)
        /// The ACK flag: the frame acknowledges a SETTINGS or PING frame of the peer.
        public static let acknowledgement = Self(rawValue: 0x1)
        /// The END_HEADERS flag: no CONTINUATION frame follows.
        public static let endHeaders = Self(rawValue: 0x4)
        /// The PADDED flag: the first byte of the payload is the length of the padding at its end.
        public static let padded = Self(rawValue: 0x8)
    }

    /// The type of the frame.
    public let kind: Kind
    /// The flags of the frame.
    public let flags: Flags
    /// The stream of the frame.
    public let stream: Stream
    /// The bytes after the frame's header.
    public let payload: [UInt8]
    /// The length in the frame's header, in bytes; `nil` for the actual length of ``payload``.
    public let declaredLength: Int?

    /// Creates a frame, by default without flags and payload and for the connection.
    public init(
        _ kind: Kind, _ flags: Flags = [], on stream: Stream = .connection, _ payload: [UInt8] = [],
        declaredLength: Int? = nil
    ) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
        self.declaredLength = declaredLength
    }

    /// Returns the encoded frame.
    func encoded(answering requested: UInt32) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: declaredLength ?? payload.count)
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
    /// The bytes in network order.
    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

extension RawHTTP2Frame {
    /// Returns a SETTINGS frame with parameters (RFC 9113 section 6.5.2).
    public static func settings(_ parameters: (number: UInt16, value: UInt32)...) -> Self {
        Self(
            .settings,
            parameters.flatMap { [UInt8($0.number >> 8), UInt8(truncatingIfNeeded: $0.number)] + $0.value.bytes })
    }

    /// Returns a HEADERS frame with response fields, each encoded as a literal without indexing (RFC 7541
    /// section 6.2.2).
    public static func headers(
        _ fields: [(name: String, value: String)], _ flags: Flags = .endHeaders, on stream: Stream = .requested
    ) -> Self {
        Self(.headers, flags, on: stream, fields.flatMap { HPACK.literal($0.name, $0.value) })
    }

    /// Returns a DATA frame with a text in UTF-8 (RFC 9113 section 6.1).
    public static func data(_ text: String, _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        data(Array(text.utf8), flags, on: stream)
    }

    /// Returns a DATA frame with bytes (RFC 9113 section 6.1).
    public static func data(_ bytes: [UInt8], _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        Self(.data, flags, on: stream, bytes)
    }

    /// Returns a RST_STREAM frame with an error code of RFC 9113 section 7.
    public static func resetStream(error: UInt32, on stream: Stream = .requested) -> Self {
        Self(.resetStream, on: stream, error.bytes)
    }

    /// Returns a GOAWAY frame with the last processed stream and an error code of RFC 9113 section 7.
    public static func goAway(lastStream: UInt32, error: UInt32) -> Self {
        Self(.goAway, lastStream.bytes + error.bytes)
    }

    /// Returns a WINDOW_UPDATE frame, which increases the window by a number of bytes (RFC 9113 section 6.9).
    public static func windowUpdate(_ count: UInt32, on stream: Stream = .connection) -> Self {
        Self(.windowUpdate, on: stream, count.bytes)
    }

    /// A PING frame, which the client must acknowledge (RFC 9113 section 6.7).
    public static let ping = Self(.ping, Array(repeating: 0x70, count: 8))

    private init(_ kind: Kind, _ payload: [UInt8]) {
        self.init(kind, [], on: .connection, payload)
    }
}

/// The HPACK encoding of header blocks (RFC 7541), separate from the client's so that they can be malformed.
enum HPACK {
    /// Encodes a field without indexing.
    static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0x00] + string(name) + string(value)
    }

    /// Encodes a field with incremental indexing.
    static func indexedLiteral(_ name: String, _ value: String) -> [UInt8] {
        [0x40] + string(name) + string(value)
    }

    /// The indexed representation of the newest entry in the dynamic table.
    static let newestIndex: UInt8 = 0x80 | 62

    private static func string(_ text: String) -> [UInt8] {
        integer(text.utf8.count) + text.utf8
    }

    /// Encodes an integer with a prefix of seven bits (RFC 7541 section 5.1).
    private static func integer(_ value: Int) -> [UInt8] {
        guard value >= 127 else { return [UInt8(value)] }
        var rest = value - 127
        var bytes: [UInt8] = [127]
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
