// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// A client connection that sends exactly what a test passes to it.
struct RawConnection {
    /// A response.
    struct Answer {
        let status: Int
        /// The value of `WWW-Authenticate` or `Proxy-Authenticate`.
        let challenge: String?
        let head: String
        let body: String
    }

    private var received = ""
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Opens a connection to a loopback port for the duration of a closure.
    static func open(to port: Int, _ body: (inout RawConnection) async throws -> Void) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var wire = RawConnection(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            try await body(&wire)
        }
    }

    /// Returns whether a server accepts connections to an address of this computer.
    static func isOpen(_ port: Int, at address: String) async -> Bool {
        let connecting = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(
            host: address, port: port)
        guard let channel = try? await connecting.get() else { return false }
        try? await channel.close()
        return true
    }

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    /// Sends a request, and returns the response; `nil` if the connection ends before it is complete.
    mutating func ask(_ line: String, _ field: String? = nil) async throws -> Answer? {
        let field = field.map { "\($0)\r\n" } ?? ""
        try await outbound.write(ByteBuffer(string: "\(line) HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n"))
        guard let head = try await read(through: "\r\n\r\n") else { return nil }
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        guard !(line.hasPrefix("CONNECT") && status == 200) else {
            return Answer(status: status, challenge: nil, head: head, body: "")
        }
        let body =
            if let length = Self.value(of: "content-length", in: head).flatMap({ Int($0) }) {
                try await read(length)
            } else {
                try await read(through: "0\r\n\r\n")
            }
        guard let body else { return nil }
        let challenge = Self.value(of: "www-authenticate", in: head) ?? Self.value(of: "proxy-authenticate", in: head)
        return Answer(status: status, challenge: challenge, head: head, body: body)
    }

    /// Returns whether the server closes the connection without sending anything else.
    mutating func isClosed() async throws -> Bool {
        guard received.isEmpty else { return false }
        return try await inbound.next() == nil
    }

    private mutating func read(through mark: String) async throws -> String? {
        while true {
            if let end = received.firstRange(of: mark)?.upperBound {
                defer { received = String(received[end...]) }
                return String(received[..<end])
            }
            guard try await readMore() else { return nil }
        }
    }

    private mutating func read(_ length: Int) async throws -> String? {
        while received.utf8.count < length { guard try await readMore() else { return nil } }
        defer { received = String(received.dropFirst(length)) }
        return String(received.prefix(length))
    }

    private mutating func readMore() async throws -> Bool {
        guard let part = try await inbound.next() else { return false }
        received += String(buffer: part)
        return true
    }

    private static func value(of name: String, in head: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}
