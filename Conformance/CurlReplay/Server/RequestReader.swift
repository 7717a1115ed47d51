// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Splits the bytes of a connection into requests.
struct RequestReader {
    private enum State {
        case head
        case body(RequestHead, Framing)
        /// The rest of a body whose request was answered before it was read.
        case leftover(Int)
    }

    private enum Framing {
        case length(Int, unread: Int)
        case chunked
    }

    private let commands: Set<ServerCommand>
    private var buffer: [UInt8] = []
    private var state = State.head

    init(_ commands: Set<ServerCommand>) {
        self.commands = commands
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer += bytes
    }

    /// Returns the next request to answer; `nil` if more bytes are needed.
    mutating func next() -> RequestHead? {
        while true {
            switch state {
            case .leftover(let count):
                let skipped = min(count, buffer.count)
                buffer.removeFirst(skipped)
                guard skipped == count else {
                    state = .leftover(count - skipped)
                    return nil
                }
                state = .head
            case .head:
                guard let end = buffer.firstIndex(of: "\r\n\r\n") else { return nil }
                let head = RequestHead(buffer[..<end].lines)
                buffer.removeFirst(end + 4)
                guard let head else { continue }
                state = .body(head, framing(of: head))
            case .body(let head, let framing):
                guard let unread = take(framing) else { return nil }
                state = unread == 0 ? .head : .leftover(unread)
                return head
            }
        }
    }

    private func framing(of head: RequestHead) -> Framing {
        let expects = !head["Expect"].isEmpty
        let isAuthorized = !(head["Authorization"] + head["Proxy-Authorization"]).isEmpty
        let answersEarly =
            commands.contains(.requiresAuthorization) && !isAuthorized
            || commands.contains(.ignoresExpectation) && expects
        if head["Transfer-Encoding"].contains("chunked") { return answersEarly ? .length(0, unread: 0) : .chunked }
        let length = head["Content-Length"].first.flatMap { Int($0) }.map { max($0, 0) } ?? 0
        let skipped = answersEarly ? length : min(length, skippedLength)
        // After a final response, a client with an Expect field does not send the body.
        return .length(length - skipped, unread: expects ? 0 : skipped)
    }

    private var skippedLength: Int {
        commands.reduce(0) { sum, command in
            if case .skips(let count) = command { sum + count } else { sum }
        }
    }

    /// - Returns: The number of body bytes to skip after the response; `nil` if more bytes are needed before it.
    private mutating func take(_ framing: Framing) -> Int? {
        switch framing {
        case .length(let count, let unread):
            guard buffer.count >= count else { return nil }
            buffer.removeFirst(count)
            return unread
        case .chunked:
            let end =
                buffer.starts(with: Array("0\r\n\r\n".utf8)) ? 0 : buffer.firstIndex(of: "\r\n0\r\n\r\n").map { $0 + 2 }
            guard let end else { return nil }
            buffer.removeFirst(end + 5)
            return 0
        }
    }
}
