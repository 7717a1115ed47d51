// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import Testing

@testable import HTTPTransport

@Suite("HTTP/2 flow control (RFC 9113 section 6.9)")
struct HTTP2FlowControlTests {
    typealias Scene = HTTP2ConnectionStateMachineTests.Scene

    // MARK: Sending

    @Test("A body is divided into frames and sent within the windows of its stream and of the connection")
    func sending() throws {
        var scene = try Scene()
        let id = try scene.open(.post, endStream: false)
        #expect(scene.send(100_000, on: id, endStream: true) == (false, 100_000 - 65_535))
        #expect(scene.written().map(\.payload.count) == [16_384, 16_384, 16_384, 16_383])
        _ = try scene.receive(FrameBytes.windowUpdate(50_000, on: id))
        #expect(scene.send(10, on: id) == (false, 10))
        #expect(try scene.receive(FrameBytes.windowUpdate(7)) == [.windowUpdate])
        #expect(scene.send(10, on: id) == (false, 3))
        _ = try scene.receive(FrameBytes.windowUpdate(100))
        #expect(scene.send(3, on: id, endStream: true) == (true, 0))
        #expect(scene.written().map(\.flags) == [0, 1])
        // END_STREAM has been sent, so that nothing can follow.
        #expect(scene.send(3, on: id) == (true, 3))
        #expect(scene.written() == [])
    }

    @Test("The end of a body needs no window")
    func endWithoutWindow() throws {
        var scene = try Scene(settings: FrameBytes.settings((4, 0)))
        let id = try scene.open(.post, endStream: false)
        #expect(scene.send(1, on: id) == (false, 1))
        #expect(scene.send(0, on: id, endStream: true) == (true, 0))
        #expect(scene.written() == [WrittenFrame(0, 1, on: id)])
    }

    @Test("A changed initial window applies to open streams and can make a window negative")
    func initialWindow() throws {
        var scene = try Scene()
        let id = try scene.open(.post, endStream: false)
        #expect(scene.send(60_000, on: id) == (true, 0))
        #expect(try scene.receive(FrameBytes.settings((4, 10_000))) == [.settings])
        #expect(scene.machine.streams[id]?.sendWindow.size == -50_000)
        #expect(scene.send(1, on: id) == (false, 1))
        _ = try scene.receive(FrameBytes.windowUpdate(50_001, on: id))
        #expect(scene.send(2, on: id) == (false, 1))
        // The new window applies to streams that are opened from now on.
        #expect(scene.machine.initialSendWindow == 10_000)
    }

    @Test("The server's maximum frame size is used")
    func frameSize() throws {
        var scene = try Scene(settings: FrameBytes.settings((4, 1 << 20), (5, 40_000)))
        let id = try scene.open(.post, endStream: false)
        _ = scene.send(50_000, on: id)
        #expect(scene.written().map(\.payload.count) == [40_000, 10_000])
    }

    @Test("A head that is larger than a frame continues in CONTINUATION frames")
    func largeHead() throws {
        var scene = try Scene()
        var request = HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/")
        let value = String((0..<40_000).map { _ in Character("\u{7e}") })
        request.headerFields[.cookie] = value
        _ = try scene.machine.open(request, endStream: true)
        let frames = scene.written()
        #expect(frames.map(\.kind) == [1] + Array(repeating: 9, count: frames.count - 1))
        #expect(frames.map(\.flags) == [1] + Array(repeating: 0, count: frames.count - 2) + [4])
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
    }

    @Test("An overflow of a stream's window fails the stream, and an update for a closed stream is ignored")
    func streamOverflow() throws {
        var scene = try Scene()
        let open = try scene.open(.post, endStream: false)
        #expect(
            try scene.receive(FrameBytes.windowUpdate(0x7fff_ffff, on: open)) == [.streamFailed(open, .malformed)])
        #expect(scene.written() == [WrittenFrame(3, 0, on: open, [0, 0, 0, 3])])
        let closed = try scene.open()
        #expect(try scene.receive(FrameBytes.windowUpdate(0x7fff_ffff, on: closed)) == [])
    }

    // MARK: Receiving

    private static let data = String(repeating: "a", count: 16_384)

    @Test("The connection's window is replenished on arrival, and a stream's window when its body is read")
    func receiving() throws {
        var scene = try Scene()
        for _ in 0..<9 { try scene.open() }
        for id in stride(from: HTTP2StreamID(1), through: 15, by: 2) {
            _ = try scene.receive(FrameBytes.headers(on: id))
            for _ in 0..<64 { _ = try scene.receive(FrameBytes.data(Self.data, on: id)) }
        }
        // Eight unread bodies use up their windows, but do not block the ninth body.
        let update = WrittenFrame(8, 0, on: 0, FrameBytes.bytes(4 << 20))
        #expect(scene.written() == [update, update])
        _ = try scene.receive(FrameBytes.headers(on: 17), FrameBytes.data(Self.data, on: 17))
        scene.machine.consume((1 << 19) - 1, on: 1)
        #expect(scene.written() == [])
        scene.machine.consume(1, on: 1)
        #expect(scene.written() == [WrittenFrame(8, 0, on: 1, FrameBytes.bytes(1 << 19))])
        for _ in 0..<32 { _ = try scene.receive(FrameBytes.data(Self.data)) }
        #expect(throws: HTTP2ConnectionError.violation(.flowControlError)) { try scene.receive(FrameBytes.data("a")) }
    }

    @Test("Padding counts toward the windows, which are replenished immediately")
    func padding() throws {
        var scene = try Scene()
        try scene.open()
        _ = try scene.receive(FrameBytes.headers())
        for _ in 0..<2_100 {
            _ = try scene.receive(FrameBytes.frame(0, 8, on: 1, [255, 0x61] + Array(repeating: 0, count: 255)))
        }
        #expect(scene.written().map(\.stream) == [1])
    }
}
