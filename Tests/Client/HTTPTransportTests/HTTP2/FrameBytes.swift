// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

@testable import HTTPTransport

/// Encodes the frames of a server by hand, so that they may be malformed (RFC 9113 section 4.1).
enum FrameBytes {
    static func frame(
        _ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = [], size: Int? = nil
    ) -> [UInt8] {
        let size = size ?? payload.count
        return [UInt8(size >> 16), UInt8(size >> 8 & 0xff), UInt8(size & 0xff), kind, flags] + bytes(stream) + payload
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    static func settings(_ settings: (UInt16, UInt32)...) -> [UInt8] {
        frame(0x4, settings.flatMap { [UInt8($0.0 >> 8), UInt8(truncatingIfNeeded: $0.0)] + bytes($0.1) })
    }

    private static func frame(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] { frame(kind, 0, on: 0, payload) }

    /// Encodes fields that do not enter the dynamic table (RFC 7541 section 6.2.2), each shorter than 127 bytes.
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in
            [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
        }
    }

    static func headers(
        _ fields: [(String, String)] = [(":status", "200")], on stream: UInt32 = 1, endStream: Bool = false
    ) -> [UInt8] {
        frame(0x1, endStream ? 0x5 : 0x4, on: stream, block(fields))
    }

    static func data(_ text: String, on stream: UInt32 = 1, endStream: Bool = false) -> [UInt8] {
        frame(0x0, endStream ? 0x1 : 0, on: stream, Array(text.utf8))
    }

    static func reset(_ code: UInt32, on stream: UInt32 = 1) -> [UInt8] { frame(0x3, 0, on: stream, bytes(code)) }

    static func ping(_ flags: UInt8 = 0) -> [UInt8] { frame(0x6, flags, on: 0, [0, 1, 2, 3, 4, 5, 6, 7]) }

    static func goAway(_ last: UInt32, _ code: UInt32 = 0) -> [UInt8] { frame(0x7, bytes(last) + bytes(code)) }

    static func windowUpdate(_ increment: UInt32, on stream: UInt32 = 0) -> [UInt8] {
        frame(0x8, 0, on: stream, bytes(increment))
    }
}

/// A frame that a client wrote.
struct WrittenFrame: Equatable {
    let kind: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    init(_ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    /// Reads all frames, and skips a connection preface at the start.
    static func all(in buffer: ByteBuffer?) -> [WrittenFrame] {
        guard var buffer else { return [] }
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        if buffer.getString(at: buffer.readerIndex, length: 24) == preface { buffer.moveReaderIndex(forwardBy: 24) }
        var frames: [WrittenFrame] = []
        while let (word, flags, stream) = buffer.readMultipleIntegers(as: (UInt32, UInt8, UInt32).self) {
            let payload = buffer.readBytes(length: Int(word >> 8)) ?? []
            frames.append(WrittenFrame(UInt8(truncatingIfNeeded: word), flags, on: stream, payload))
        }
        return frames
    }
}
