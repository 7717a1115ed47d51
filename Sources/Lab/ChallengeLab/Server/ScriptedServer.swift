// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import Identities
package import NIOCore
import NIOSSL
package import X509

/// A loopback server whose responses a closure determines, for exchanges that no server of the lab has.
package final class ScriptedServer: Sendable {
    /// A received request.
    package struct Request: Sendable {
        package let head: HTTPRequest
        package let body: [UInt8]
        /// The number of its connection, counted from 1.
        package let connection: Int
    }

    /// A response to send.
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

        /// No response, so that the client waits for its timeout.
        package static let silence = Self(.silence)
    }

    private let listener: LabListener

    /// The port on 127.0.0.1.
    package var port: Int { listener.port }
    /// The number of requests, including those that the gate refused.
    package var requestCount: Int { listener.requestCount }
    package var connectionCount: Int { listener.connectionCount }
    /// The number of open connections.
    package var openConnectionCount: Int { listener.openConnectionCount }

    private init(_ listener: LabListener) {
        self.listener = listener
    }

    /// Starts a server, which uses https if it has an identity, and http otherwise.
    ///
    /// - Parameters:
    ///   - identity: The TLS identity of the server.
    ///   - authorities: The authorities in a request for a client certificate; `nil` for no request.
    ///   - gate: The authentication of clients; the closure gets only accepted requests.
    ///   - observer: An observer of the received bytes.
    ///   - reply: Returns the response to a request.
    /// - Returns: The listening server.
    /// - Throws: The error of binding a socket.
    package static func start(
        presenting identity: Identity? = nil, naming authorities: [Certificate]? = nil,
        behind gate: (any LabGate)? = nil, before observer: ByteObserver? = nil,
        _ reply: @escaping @Sendable (Request) -> Reply
    ) async throws -> ScriptedServer {
        let service = LabService(isSecure: identity != nil, gate: gate, gathersBodies: true) { request, connection in
            let body = Array(request.body.bytes.readableBytesView)
            return reply(Request(head: request.head, body: body, connection: connection)).reply
        }
        return try await start(service, presenting: identity, naming: authorities, before: observer)
    }

    /// Starts an HTTP proxy to loopback, which clients reach over TLS if it has an identity.
    package static func startProxy(
        presenting identity: Identity? = nil, naming authorities: [Certificate]? = nil, behind gate: (any LabGate)?,
        before observer: ByteObserver? = nil
    ) async throws -> ScriptedServer {
        try await start(
            .proxy(isSecure: identity != nil, gate: gate), presenting: identity, naming: authorities, before: observer)
    }

    /// Starts a SOCKS 5 proxy to loopback.
    package static func startSOCKS(
        behind gate: SOCKSGate = .open, before observer: ByteObserver? = nil
    ) async throws -> ScriptedServer {
        ScriptedServer(try await .startSOCKS(behind: gate, before: observer))
    }

    private static func start(
        _ service: LabService, presenting identity: Identity?, naming authorities: [Certificate]? = nil,
        before observer: ByteObserver?
    ) async throws -> ScriptedServer {
        let tls = try identity.map { identity in
            LabTLS.nioSSL(
                try NIOSSLContext(
                    configuration: authorities.map { try LabTLS.configuration(presenting: identity, naming: $0) }
                        ?? LabTLS.configuration(presenting: identity)))
        }
        return ScriptedServer(try await LabListener.start(service, tls: tls, before: observer))
    }

    package func stop() async { await listener.stop() }
}

/// An observer of every byte that a server receives, so that a test can check that a secret never arrived.
package struct ByteObserver: Sendable {
    /// The layer at which bytes are observed.
    ///
    /// Without TLS, both layers have the same bytes.
    package enum Layer: Hashable, Sendable {
        /// The bytes as received from the network.
        case wire
        /// The bytes after decryption.
        case content
    }

    private let note: @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void

    /// Creates an observer from a closure.
    ///
    /// The closure is called from any thread; connections are counted from 1.
    package init(_ note: @escaping @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void) {
        self.note = note
    }

    func handler(at layer: Layer, of connection: Int) -> any ChannelHandler {
        ObserverHandler { [note] in note(layer, connection, $0) }
    }
}

private final class ObserverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let note: @Sendable (ByteBuffer) -> Void

    init(note: @escaping @Sendable (ByteBuffer) -> Void) {
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}
