// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign
@testable import HTTPTransport

@Suite struct HTTP2FrameCounterTests {
    /// However the bytes of a connection are cut, its frames are as many; those of DATA are not counted.
    @Test(arguments: [1, 2, 8, 9, 10, 100, 10_000])
    func framesAreCountedHoweverTheyArrive(size: Int) {
        let frames: [(type: UInt8, length: Int)] = [
            (4, 0), (0, 1), (0, 0), (1, 9), (255, 300), (8, 0), (0, 70_000), (255, 70_000),
        ]
        let bytes = frames.flatMap { frame -> [UInt8] in
            let length = [UInt8(frame.length >> 16), UInt8(frame.length >> 8 & 255), UInt8(frame.length & 255)]
            return length + [frame.type, 255, 0, 0, 0, 1] + [UInt8](repeating: 7, count: frame.length)
        }
        var counter = HTTP2FrameCounter()
        let count = stride(from: 0, to: bytes.count, by: size).reduce(0) { count, start in
            count + bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { counter.read($0) }
        }
        #expect(count == 5)
    }
}
