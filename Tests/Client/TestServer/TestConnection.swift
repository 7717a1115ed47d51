// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// The server's side of a test connection.
package struct TestConnection {
    /// A closure that serves a connection.
    ///
    /// If it throws, the connection is closed.
    package typealias Script = @Sendable (inout TestConnection) async throws -> Void

    /// An error that is thrown after the client or a behavior has closed the connection.
    package struct Ended: Error {}

    var sender: Sender
    var inbound: AsyncStream<ByteBuffer>.AsyncIterator
    var unread: [UInt8] = []
}

// MARK: Receiving

extension TestConnection {
    private mutating func receive() async throws {
        // The channel reads on demand, so that the client notices backpressure.
        sender.channel.read()
        guard let buffer = await inbound.next() else { throw Ended() }
        sender.recorder.received(buffer)
        unread += Array(buffer: buffer)
    }

    /// Returns the bytes that have arrived, at least one.
    mutating func next() async throws -> ByteBuffer {
        if unread.isEmpty { try await receive() }
        defer { unread = [] }
        return ByteBuffer(bytes: unread)
    }

    /// Reads the head of a request, and returns it without its final empty line.
    package mutating func head() async throws -> String {
        try await text(upTo: "\r\n\r\n")
    }

    /// A request and its body.
    package struct Request: Sendable {
        /// The lines, without the final empty one.
        package let head: String
        /// The bytes after the head; for a chunked body, those before the last chunk.
        package let body: [UInt8]
    }

    /// Reads a complete request, and sends 100 Continue if the client expects it.
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

    /// Reads up to and including a mark, and returns the text before the mark.
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

    /// Reads text of a length in bytes.
    package mutating func text(count: Int) async throws -> String {
        String(decoding: try await bytes(count: count), as: UTF8.self)
    }

    /// Reads a number of bytes.
    package mutating func bytes(count: Int) async throws -> [UInt8] {
        while unread.count < count { try await receive() }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    /// Reads the remaining text until the client closes.
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

    /// Sends bytes, in pieces and up to the limit if behaviors request that.
    package mutating func send(bytes: [UInt8]) async throws {
        try await sender.send(ByteBuffer(bytes: bytes))
    }

    /// Forwards bytes to and from a port of 127.0.0.1, until one side closes.
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
