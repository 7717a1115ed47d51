// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// A server of plain http on loopback whose every reply a closure decides, for exchanges that no server of the lab has.
package final class ScriptedServer: Sendable {
    /// What arrived.
    package struct Request: Sendable {
        package let head: HTTPRequest
        package let body: [UInt8]
    }

    /// What is sent.
    package struct Reply: Sendable {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        let body: [UInt8]

        package init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: String = "") {
            self.status = status
            self.fields = fields
            self.body = Array(body.utf8)
        }
    }

    private struct Script: LabAnswering {
        let reply: @Sendable (Request) -> Reply
        let count: NIOLockedValueBox<Int>
        var isSecure: Bool { false }

        func reply(to request: LabRequest) -> LabReply {
            count.withLockedValue { $0 += 1 }
            let reply = reply(Request(head: request.head, body: Array(request.body.readableBytesView)))
            return .message(HTTPResponse(status: reply.status, headerFields: reply.fields), reply.body)
        }
    }

    private let channel: any Channel
    private let connections: ConnectionSet
    private let count: NIOLockedValueBox<Int>

    /// The port on 127.0.0.1.
    package let port: Int
    package var requestCount: Int { count.withLockedValue { $0 } }

    private init(channel: any Channel, port: Int, connections: ConnectionSet, count: NIOLockedValueBox<Int>) {
        self.channel = channel
        self.port = port
        self.connections = connections
        self.count = count
    }

    package static func start(_ reply: @escaping @Sendable (Request) -> Reply) async throws -> ScriptedServer {
        let (connections, count) = (ConnectionSet(), NIOLockedValueBox(0))
        let script = Script(reply: reply, count: count)
        let channel = try await LabListener.bind { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                try LabConnection.addHandlers(to: channel, service: script, connections: connections)
            }
        }
        guard let port = channel.localAddress?.port else {
            try await channel.close()
            throw LabError.noPort
        }
        return ScriptedServer(channel: channel, port: port, connections: connections, count: count)
    }

    package func stop() async {
        try? await channel.close()
        await connections.closeAll()
    }
}
