// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension HTTP2Frame {
    /// What the server asks of the client (RFC 9113 section 6.5.2), by the numbers of the parameters.
    public static func settings(_ parameters: (number: UInt16, value: UInt32)...) -> Self {
        Self(
            .settings,
            parameters.flatMap { [UInt8($0.number >> 8), UInt8(truncatingIfNeeded: $0.number)] + $0.value.bytes })
    }

    /// Fields of a response, none of them remembered (RFC 7541 section 6.2.2).
    public static func headers(
        _ fields: [(name: String, value: String)], _ flags: Flags = .endHeaders, on stream: Stream = .requested
    ) -> Self {
        Self(.headers, flags, on: stream, fields.flatMap { HPACK.literal($0.name, $0.value) })
    }

    /// Part of a body.
    public static func data(_ text: String, _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        data(Array(text.utf8), flags, on: stream)
    }

    /// Part of a body that is no text.
    public static func data(_ bytes: [UInt8], _ flags: Flags = [], on stream: Stream = .requested) -> Self {
        Self(.data, flags, on: stream, bytes)
    }

    /// An end of a stream; errors are those of RFC 9113 section 7.
    public static func resetStream(error: UInt32, on stream: Stream = .requested) -> Self {
        Self(.resetStream, on: stream, error.bytes)
    }

    /// An end of the connection, and up to which stream requests were seen.
    public static func goAway(lastStream: UInt32, error: UInt32) -> Self {
        Self(.goAway, lastStream.bytes + error.bytes)
    }

    /// Leave to send so many bytes more.
    public static func windowUpdate(_ count: UInt32, on stream: Stream = .connection) -> Self {
        Self(.windowUpdate, on: stream, count.bytes)
    }

    /// A question whether the client is there.
    public static let ping = Self(.ping, Array(repeating: 0x70, count: 8))

    private init(_ kind: Kind, _ payload: [UInt8]) {
        self.init(kind, [], on: .connection, payload)
    }
}
