// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix

/// A connection on which a test controls every byte, because clients and browsers refuse to send some bytes.
struct RawConnection {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    static func open(to port: Int) async throws -> RawConnection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return RawConnection(channel: channel)
    }

    /// Sends a request and reads until the server closes.
    func answer(to request: String) async throws -> RawResponse {
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var bytes: [UInt8] = []
            // A server that responds without reading the rest of a request may reset the connection.
            do {
                for try await part in inbound { bytes += part.readableBytesView }
            } catch  where !bytes.isEmpty {}
            return RawResponse(bytes)
        }
    }

    /// Keeps the connection open for as long as a closure runs.
    func hold<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await channel.executeThenClose { _, _ in try await body() }
    }
}

/// A response as received.
struct RawResponse: Sendable {
    let status: Int
    /// The lines of the head, in lower case.
    let fields: [String]
    let body: [UInt8]
    /// The value of the cookie that the response sets; `nil` for none.
    let cookie: String?

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let head = text.prefix(upTo: text.firstRange(of: "\r\n\r\n")?.lowerBound ?? text.endIndex)
        let lines = head.split(separator: "\r\n").map { $0.lowercased() }
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        fields = Array(lines.dropFirst())
        cookie = head.firstRange(of: "Set-Cookie: ").map { head[$0.upperBound...].prefix { $0 != ";" } }
            .flatMap { $0.split(separator: "=", maxSplits: 1).last.map(String.init) }
        body = Array(bytes.dropFirst(head.utf8.count + 4))
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        fields.first { $0.hasPrefix(name + ":") }.map { $0.dropFirst(name.count + 1).trimmingPrefix(" ").description }
    }
}
