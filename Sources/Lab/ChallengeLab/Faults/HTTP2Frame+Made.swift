// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension HTTP2Frame {
    /// Makes SETTINGS with parameters by their numbers (RFC 9113 section 6.5.2).
    public static func settings(_ parameters: (number: UInt16, value: UInt32)...) -> Self {
        Self(
            .settings,
            parameters.flatMap { [UInt8($0.number >> 8), UInt8(truncatingIfNeeded: $0.number)] + $0.value.bytes })
    }

    /// Makes HEADERS with fields of a response, each a literal without indexing (RFC 7541 section 6.2.2).
    public static func headers(
        _ fields: [(name: String, value: String)], _ flags: Flags = .endHeaders, on stream: Stream = .requested
    ) -> Self {
        Self(.headers, flags, on: stream, fields.flatMap { HPACK.literal($0.name, $0.value) })
    }

    /// Makes DATA with a text in UTF-8 (RFC 9113 section 6.1).
    public static func data(_ text: String, _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        data(Array(text.utf8), flags, on: stream)
    }

    /// Makes DATA with bytes (RFC 9113 section 6.1).
    public static func data(_ bytes: [UInt8], _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        Self(.data, flags, on: stream, bytes)
    }

    /// Makes RST_STREAM with an error code of RFC 9113 section 7.
    public static func resetStream(error: UInt32, on stream: Stream = .requested) -> Self {
        Self(.resetStream, on: stream, error.bytes)
    }

    /// Makes GOAWAY with the last stream that was processed, and an error code of RFC 9113 section 7.
    public static func goAway(lastStream: UInt32, error: UInt32) -> Self {
        Self(.goAway, lastStream.bytes + error.bytes)
    }

    /// Makes WINDOW_UPDATE, which lets the client send so many bytes more (RFC 9113 section 6.9).
    public static func windowUpdate(_ count: UInt32, on stream: Stream = .connection) -> Self {
        Self(.windowUpdate, on: stream, count.bytes)
    }

    /// PING, which the client must acknowledge (RFC 9113 section 6.7).
    public static let ping = Self(.ping, Array(repeating: 0x70, count: 8))

    private init(_ kind: Kind, _ payload: [UInt8]) {
        self.init(kind, [], on: .connection, payload)
    }
}
