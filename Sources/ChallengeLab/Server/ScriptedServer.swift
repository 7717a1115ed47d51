// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
package import X509

/// A server on loopback whose every reply a closure decides, for exchanges that no server of the lab has.
package final class ScriptedServer: Sendable {
    /// What arrived.
    package struct Request: Sendable {
        package let head: HTTPRequest
        package let body: [UInt8]
    }

    /// What is sent.
    package struct Reply: Sendable {
        fileprivate let reply: LabReply

        package init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: String = "") {
            self.init(status, fields, body: Array(body.utf8))
        }

        package init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: [UInt8]) {
            reply = .message(HTTPResponse(status: status, headerFields: fields), body)
        }

        private init(_ reply: LabReply) {
            self.reply = reply
        }

        /// The client waits for ever.
        package static let silence = Self(.silence)
    }

    private struct Script: LabAnswering {
        let reply: @Sendable (Request) -> Reply
        let count: NIOLockedValueBox<Int>
        let isSecure: Bool

        func reply(to request: LabRequest) -> LabReply {
            count.withLockedValue { $0 += 1 }
            return reply(Request(head: request.head, body: Array(request.body.readableBytesView))).reply
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

    /// Starts a server: of https where it has an identity to present, otherwise of http; it asks for a client certificate
    /// where it is told whom to name as issuers.
    package static func start(
        presenting identity: Identity? = nil, naming authorities: [Certificate]? = nil,
        _ reply: @escaping @Sendable (Request) -> Reply
    ) async throws -> ScriptedServer {
        let tls = try identity.map { identity in
            try NIOSSLContext(
                configuration: authorities.map { try LabTLS.configuration(presenting: identity, naming: $0) }
                    ?? LabTLS.configuration(presenting: identity))
        }
        let (connections, count) = (ConnectionSet(), NIOLockedValueBox(0))
        let script = Script(reply: reply, count: count, isSecure: tls != nil)
        let channel = try await LabListener.bind { channel in
            connections.insert(channel)
            return channel.eventLoop.makeCompletedFuture {
                if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
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
