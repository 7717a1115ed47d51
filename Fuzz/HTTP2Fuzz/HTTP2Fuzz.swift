// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import HTTPTransport
import HTTPTypes
import NIOCore

/// Fuzzes an HTTP/2 connection whose client opens, writes, reads and
/// resets streams, with the server's bytes in portions and at once.
@main
enum HTTP2Fuzz {
    /// The maximum size of a head in bytes, which is small so that inputs exceed it.
    static let headLimit = 2_048

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in HTTP2Seeds.all }) { bytes, count in
            HTTP2Fuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        let steps = HTTP2Step.all(in: input)
        let complete = HTTP2Run(steps, portion: .max)
        precondition(complete == HTTP2Run(steps, portion: 3), "the result depends on the portions")
    }
}

/// The result of a run.
struct HTTP2Run: Equatable {
    private(set) var events: [HTTP2ConnectionStateMachine.Event] = []
    private(set) var error: HTTP2ConnectionError?
    private var opened = 0
    /// The number of received and not consumed body bytes of each stream.
    private var unread: [HTTP2StreamID: Int] = [:]

    init(_ steps: [HTTP2Step], portion: Int) {
        var machine = HTTP2ConnectionStateMachine(headLimit: HTTP2Fuzz.headLimit)
        for step in steps {
            switch step {
            case .receive(let bytes):
                var rest = bytes[...]
                while !rest.isEmpty {
                    receive(rest.prefix(portion), &machine)
                    rest = rest.dropFirst(portion)
                }
            case .open(let method): open(method, &machine)
            case .send(let count, let id, let endStream):
                var part = ByteBuffer(repeating: 0, count: count)
                let isComplete = machine.send(&part, on: id, endStream: endStream)
                precondition(!isComplete || part.readableBytes == 0 || part.readableBytes == count, "a part is lost")
            case .consume(let count, let id):
                // At most the received bytes can be consumed.
                let size = min(count, unread[id] ?? 0)
                unread[id, default: 0] -= size
                machine.consume(size, on: id)
            case .reset(let id): machine.reset(id, .cancel)
            }
            check(&machine)
        }
    }

    private mutating func open(_ method: HTTPRequest.Method, _ machine: inout HTTP2ConnectionStateMachine) {
        guard machine.canOpenStream else { return }
        let request = HTTPRequest(method: method, scheme: "https", authority: "a.test", path: "/")
        guard (try? machine.open(request, endStream: method != .post)) != nil else { fatalError("no stream") }
        opened += 1
    }

    private mutating func receive(_ bytes: ArraySlice<UInt8>, _ machine: inout HTTP2ConnectionStateMachine) {
        machine.receive(ByteBuffer(bytes: bytes))
        do throws(HTTP2ConnectionError) {
            while let event = try machine.next() {
                precondition(error == nil, "an event after a connection error")
                add(event)
            }
        } catch {
            precondition(self.error == nil, "two connection errors")
            self.error = error
        }
        precondition(machine.bufferedSize <= 9 + 16_384 + HTTP2Fuzz.headLimit, "too many bytes are buffered")
    }

    private mutating func add(_ event: HTTP2ConnectionStateMachine.Event) {
        // Only the lengths of bodies are stored and compared.
        if case .data(let id, let data, let endStream) = event {
            unread[id, default: 0] += data.readableBytes
            events.append(.data(id, ByteBuffer(integer: data.readableBytes), endStream: endStream))
        } else {
            events.append(event)
        }
    }

    private func check(_ machine: inout HTTP2ConnectionStateMachine) {
        precondition(machine.largestWindow <= 0x7fff_ffff, "a window is too large")
        precondition(machine.streamCount <= opened, "more streams than were opened")
        let written = machine.takeOutbound()?.readableBytes ?? 0
        precondition(written <= 1 << 20, "too many bytes are written")
    }
}
