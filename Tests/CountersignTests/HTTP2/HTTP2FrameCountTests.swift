// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import Testing

@testable import Countersign

@Suite struct HTTP2FrameCountTests {
    /// However the bytes of a connection are cut, its frames are as many.
    @Test(arguments: [1, 2, 8, 9, 10, 100, 10_000])
    func framesAreCountedHoweverTheyArrive(size: Int) {
        let lengths = [0, 1, 9, 300, 0, 0, 70_000]
        let bytes = lengths.flatMap { length -> [UInt8] in
            let head = [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), 255, 255, 0, 0, 0, 1]
            return head + [UInt8](repeating: 7, count: length)
        }
        var frames = HTTP2FrameCount()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let part = ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])
            frames.note(part.readableBytesView)
        }
        #expect(frames.count == lengths.count)
        frames.restart()
        #expect(frames.count == 0)
    }
}
