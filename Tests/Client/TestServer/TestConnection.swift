// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// A connection to a test server, as the server sees it.
package struct TestConnection {
    /// Serves a connection.
    ///
    /// An error that it throws closes the connection.
    package typealias Script = @Sendable (inout TestConnection) async throws -> Void

    /// The client has closed the connection, or a behavior closes it.
    package struct Ended: Error {}

    var sender: Sender
    var inbound: AsyncStream<ByteBuffer>.AsyncIterator
    var unread: [UInt8] = []
}

// MARK: Receiving

extension TestConnection {
    private mutating func receive() async throws {
        // The channel reads on demand, so that a client that is not read from notices.
        sender.channel.read()
        guard let buffer = await inbound.next() else { throw Ended() }
        sender.recorder.received(buffer)
        unread += Array(buffer: buffer)
    }

    /// The bytes that have arrived, at least one.
    mutating func next() async throws -> ByteBuffer {
        if unread.isEmpty { try await receive() }
        defer { unread = [] }
        return ByteBuffer(bytes: unread)
    }

    /// The head of a request, without its last empty line.
    package mutating func head() async throws -> String {
        try await text(upTo: "\r\n\r\n")
    }

    /// A request and its body.
    package struct Request: Sendable {
        /// The lines, without the last empty one.
        package let head: String
        /// The bytes after the head; of a chunked body, those before the last chunk.
        package let body: [UInt8]
    }

    /// A whole request; the client is told to continue where it expects that.
    package mutating func request() async throws -> Request {
        let head = try await head()
        let fields = head.lowercased().split(separator: "\r\n").dropFirst()
        if fields.contains("expect: 100-continue") { try await send("HTTP/1.1 100 Continue", "") }
        guard !fields.contains("transfer-encoding: chunked") else {
            return Request(head: head, body: try await bytes(upTo: "0\r\n\r\n"))
        }
        let prefix = "content-length: "
        let length = fields.first { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) }
        return Request(head: head, body: try await bytes(count: length ?? 0))
    }

    /// The text before a mark, which is read too.
    package mutating func text(upTo mark: String) async throws -> String {
        String(decoding: try await bytes(upTo: mark), as: UTF8.self)
    }

    private mutating func bytes(upTo mark: String) async throws -> [UInt8] {
        while true {
            if let range = unread.firstRange(of: Array(mark.utf8)) {
                defer { unread.removeSubrange(..<range.upperBound) }
                return Array(unread[..<range.lowerBound])
            }
            try await receive()
        }
    }

    /// Text of a length in bytes.
    package mutating func text(count: Int) async throws -> String {
        String(decoding: try await bytes(count: count), as: UTF8.self)
    }

    /// A number of bytes.
    package mutating func bytes(count: Int) async throws -> [UInt8] {
        while unread.count < count { try await receive() }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    /// The text that is still to come until the client closes.
    package mutating func rest() async throws -> String {
        do { while true { try await receive() } } catch is Ended {}
        return String(decoding: unread, as: UTF8.self)
    }
}

// MARK: Sending

extension TestConnection {
    static func bytes(of lines: [String]) -> [UInt8] { lines.flatMap { Array(($0 + "\r\n").utf8) } }

    /// Sends lines, each with CR LF at its end.
    package mutating func send(_ lines: String...) async throws {
        try await send(bytes: Self.bytes(of: lines))
    }

    /// Sends bytes, in pieces and up to the limit where behaviors set them.
    package mutating func send(bytes: [UInt8]) async throws {
        try await sender.send(ByteBuffer(bytes: bytes))
    }

    /// Passes bytes on to a port of 127.0.0.1 and back, until one side closes.
    mutating func forward(to port: Int) async throws {
        let reader = Reader<ByteBuffer>()
        let origin = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { $0.pipeline.addHandler(reader) }
            .connect(host: "127.0.0.1", port: port).get()
        defer { origin.close(promise: nil) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [sender] in try await sender.send(reader.parts) }
            while true { try await origin.writeAndFlush(next()) }
        }
    }
}
