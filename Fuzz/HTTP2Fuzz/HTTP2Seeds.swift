// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The initial inputs, which are valid connections.
enum HTTP2Seeds {
    static let all: [[UInt8]] = [
        open + receive(settings() + headers + data + end),
        open + receive(settings((3, 1), (4, 0), (5, 20_000)) + frame(8, 0, 1, [0, 0, 1, 0])) + [2, 9],
        [0, 1] + receive(settings((4, 100_000))) + [1, 72] + receive(frame(8, 0, 0, [0, 1, 0, 0])) + [2, 72]
            + receive(headers + end),
        open + receive(settings() + headers + data) + [3, 8, 4, 0] + receive(data + frame(3, 0, 1, [0, 0, 0, 8])),
        open + open + receive(settings() + frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]) + headers + end),
        open + receive(settings() + frame(6, 0, 0, [0, 1, 2, 3, 4, 5, 6, 7]) + frame(4, 1, 0, [])),
        open
            + receive(
                settings() + frame(1, 0, 1, [0x88]) + frame(9, 0, 1, []) + frame(9, 4, 1, [0, 1, 0x61, 1, 0x62])
                    + frame(0, 9, 1, [1, 0x61, 0])),
        open + receive(settings() + headers + frame(1, 5, 1, [0, 1, 0x61, 1, 0x62])),
        open + receive(settings() + frame(1, 4, 1, [0x48, 3, 0x31, 0x30, 0x30]) + headers + end),
        open + receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
    ]

    private static let open: [UInt8] = [0, 0]
    /// A header block with `:status: 200` (RFC 7541 appendix A) and a field that is added to the dynamic table.
    private static let headers = frame(1, 4, 1, [0x88, 0x40, 1, 0x61, 1, 0x62])
    private static let data = frame(0, 0, 1, Array("good".utf8))
    private static let end = frame(0, 1, 1, [])

    private static func receive(_ bytes: [UInt8]) -> [UInt8] {
        [5, UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func settings(_ settings: (UInt8, UInt32)...) -> [UInt8] {
        frame(4, 0, 0, settings.flatMap { [0, $0.0] + bytes($0.1) })
    }

    private static func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count), kind, flags] + bytes(stream) + payload
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
