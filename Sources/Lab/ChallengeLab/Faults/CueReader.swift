// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A parser that detects the cue of a fault in the bytes of a client.
struct CueReader {
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count
    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let frameHead = 9

    /// An event in the client's bytes.
    enum Event: Hashable {
        case request(stream: UInt32)
        /// A frame that requires an acknowledgement of the same type. Holds its type and payload.
        case question(RawHTTP2Frame.Kind, [UInt8])
    }

    private let cue: Fault.Cue
    private var isFinished = false
    private var pending: [UInt8] = []
    /// The number of matched bytes of a header block's end or of the HTTP/2 preface.
    private var matched = 0

    init(_ cue: Fault.Cue) {
        self.cue = cue
    }

    /// Processes received bytes and returns the events in them.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [Event] {
        switch cue {
        case .connection: return []
        case .bytes:
            defer { isFinished = true }
            return isFinished ? [] : [.request(stream: 0)]
        case .request:
            return Array(repeating: .request(stream: 0), count: countHeads(bytes))
        case .stream:
            pending += bytes
            return frames()
        }
    }

    private mutating func countHeads(_ bytes: some Sequence<UInt8>) -> Int {
        var count = 0
        for byte in bytes {
            matched = byte == Self.headEnd[matched] ? matched + 1 : byte == Self.headEnd[0] ? 1 : 0
            guard matched == Self.headEnd.count else { continue }
            matched = 0
            count += 1
        }
        return count
    }

    private mutating func frames() -> [Event] {
        var rest = pending[...]
        if matched < Self.preface {
            let skipped = min(rest.count, Self.preface - matched)
            matched += skipped
            rest = rest.dropFirst(skipped)
        }
        var events: [Event] = []
        while rest.count >= Self.frameHead {
            let head = Array(rest.prefix(Self.frameHead))
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= Self.frameHead + length else { break }
            let payload = Array(rest.dropFirst(Self.frameHead).prefix(length))
            rest = rest.dropFirst(Self.frameHead + length)
            if let word = Self.word(head, payload) { events.append(word) }
        }
        pending = Array(rest)
        return events
    }

    private static func word(_ head: [UInt8], _ payload: [UInt8]) -> Event? {
        let isAcknowledgement = RawHTTP2Frame.Flags(rawValue: head[4]).contains(.acknowledgement)
        return switch head[3] {
        case RawHTTP2Frame.Kind.headers.number:
            .request(stream: head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7fff_ffff)
        case RawHTTP2Frame.Kind.settings.number where !isAcknowledgement: .question(.settings, [])
        case RawHTTP2Frame.Kind.ping.number where !isAcknowledgement: .question(.ping, payload)
        default: nil
        }
    }
}
