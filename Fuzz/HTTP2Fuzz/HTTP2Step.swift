// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

/// An operation on a connection, read from a fuzzer's input.
enum HTTP2Step {
    case receive([UInt8])
    case open(HTTPRequest.Method)
    case send(Int, on: HTTP2StreamID, endStream: Bool)
    case consume(Int, on: HTTP2StreamID)
    case reset(HTTP2StreamID)

    /// Reads the operations of an input.
    ///
    /// The first byte of an operation is its kind. The server's bytes follow after
    /// a length of two bytes; the other operations have one byte for the stream.
    static func all(in input: [UInt8]) -> [HTTP2Step] {
        var (steps, rest) = ([HTTP2Step](), input[...])
        while let kind = rest.popFirst(), let first = rest.popFirst() {
            // These are the identifiers of the client's first streams.
            let id = HTTP2StreamID(first % 8) * 2 + 1
            let size = Int(first / 8) * 4_096
            switch kind % 8 {
            case 0: steps.append(.open(first.isMultiple(of: 2) ? .get : .post))
            case 1: steps.append(.send(size, on: id, endStream: false))
            case 2: steps.append(.send(size, on: id, endStream: true))
            case 3: steps.append(.consume(size, on: id))
            case 4: steps.append(.reset(id))
            default:
                guard let second = rest.popFirst() else { return steps }
                let count = Int(first) << 8 | Int(second)
                steps.append(.receive(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            }
        }
        return steps
    }
}
