// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import Identities
package import NIOCore
import NIOSSL
package import X509

/// A server on loopback whose every reply a closure decides, for exchanges that no server of the lab has.
package final class ScriptedServer: Sendable {
    /// What arrived.
    package struct Request: Sendable {
        package let head: HTTPRequest
        package let body: [UInt8]
        /// The number of the connection that it came over; the first is 1.
        package let connection: Int
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

    private let listener: LabListener

    /// The port on 127.0.0.1.
    package var port: Int { listener.port }
    /// Those that a gate refused included.
    package var requestCount: Int { listener.requestCount }
    package var connectionCount: Int { listener.connectionCount }
    /// How many connections are open now.
    package var openConnectionCount: Int { listener.openConnectionCount }

    private init(_ listener: LabListener) {
        self.listener = listener
    }

    /// Starts a server: of https where it has an identity to present, otherwise of http.
    ///
    /// - Parameters:
    ///   - identity: What it presents.
    ///   - authorities: Whom it names as issuers when it asks for a client certificate; `nil` where it asks for none.
    ///   - gate: Who is asked first; the closure replies to what it lets in.
    ///   - witness: Told of what arrives.
    ///   - reply: Decides on each reply.
    /// - Returns: The server, listening.
    /// - Throws: What binding a socket throws.
    package static func start(
        presenting identity: Identity? = nil, naming authorities: [Certificate]? = nil,
        behind gate: (any LabGate)? = nil, before witness: ByteWitness? = nil,
        _ reply: @escaping @Sendable (Request) -> Reply
    ) async throws -> ScriptedServer {
        let service = LabService(isSecure: identity != nil, gate: gate, gathersBodies: true) { request, connection in
            let body = Array(request.body.bytes.readableBytesView)
            return reply(Request(head: request.head, body: body, connection: connection)).reply
        }
        return try await start(service, presenting: identity, naming: authorities, before: witness)
    }

    /// Starts a proxy to loopback: of http, or itself reached over TLS where it has an identity to present.
    package static func startProxy(
        presenting identity: Identity? = nil, naming authorities: [Certificate]? = nil, behind gate: (any LabGate)?,
        before witness: ByteWitness? = nil
    ) async throws -> ScriptedServer {
        try await start(
            .proxy(isSecure: identity != nil, gate: gate), presenting: identity, naming: authorities, before: witness)
    }

    /// Starts a proxy of SOCKS 5 to loopback.
    package static func startSOCKS(
        behind gate: SOCKSGate = .open, before witness: ByteWitness? = nil
    ) async throws -> ScriptedServer {
        ScriptedServer(try await .startSOCKS(behind: gate, before: witness))
    }

    private static func start(
        _ service: LabService, presenting identity: Identity?, naming authorities: [Certificate]? = nil,
        before witness: ByteWitness?
    ) async throws -> ScriptedServer {
        let tls = try identity.map { identity in
            try NIOSSLContext(
                configuration: authorities.map { try LabTLS.configuration(presenting: identity, naming: $0) }
                    ?? LabTLS.configuration(presenting: identity))
        }
        return ScriptedServer(try await LabListener.start(service, tls: tls, before: witness))
    }

    package func stop() async { await listener.stop() }
}

/// Is told of every byte that a server receives, so that a test can say what never came.
package struct ByteWitness: Sendable {
    /// Where bytes are seen; without TLS both are the same.
    package enum Layer: Hashable, Sendable {
        /// As they came.
        case wire
        /// After decryption.
        case content
    }

    private let note: @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void

    /// Calls the closure from any thread; connections count from 1.
    package init(_ note: @escaping @Sendable (_ layer: Layer, _ connection: Int, _ bytes: ByteBuffer) -> Void) {
        self.note = note
    }

    func handler(at layer: Layer, of connection: Int) -> any ChannelHandler {
        WitnessHandler { [note] in note(layer, connection, $0) }
    }
}

private final class WitnessHandler: ChannelInboundHandler {
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
