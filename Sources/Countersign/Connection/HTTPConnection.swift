// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix

/// One connection that speaks HTTP/1.1, to an origin or to a proxy.
struct HTTPConnection: Sendable {
    let channel: any Channel
    let report: ConnectionReport
    /// What this connection was opened with, checked again whenever it is taken from the pool.
    let admission: Admission
    let failure: ChannelFailure

    /// The answers without which the connection would not exist.
    struct Admission: Hashable, Sendable {
        var identity: Credential?
        var acceptedTrust: Credential?
        var tunnel: Credential?
        /// The same of an encrypted connection to a proxy.
        var proxyIdentity: Credential?
        var proxyAcceptedTrust: Credential?

        /// Whether a later request may use what these answers opened.
        var mayBeShared: Bool {
            [identity, acceptedTrust, tunnel, proxyIdentity, proxyAcceptedTrust].allSatisfy {
                $0?.persistence != Credential.Persistence.none
            }
        }
    }

    private static let handlerNames = ["idle", "encoder", "connect", "decoder", "exchange"].map { "countersign." + $0 }

    /// Largest head of a response, in bytes, all fields together.
    static let headLimit = 256 * 1024

    /// Puts HTTP/1.1 on a channel whose bytes are what the peer sent, decrypted.
    static func addHandlers(to channel: any Channel, idleTimeout: Duration, failure: ChannelFailure) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = headLimit
        limits.maxHeaderListSize = headLimit
        let decoder = HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        // The length of a body is said in ``exchange(_:absoluteForm:body:completion:)``; NIO would give a CONNECT an empty chunked one.
        var framing = HTTPRequestEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let handlers: [any ChannelHandler] = [
            IdleStateHandler(readTimeout: TimeAmount(idleTimeout)),
            HTTPRequestEncoder(configuration: framing),
            ConnectMethodHandler(),
            ByteToMessageHandler(decoder),
            HTTP1ExchangeHandler(failure: failure),
        ]
        for (name, handler) in zip(handlerNames, handlers) {
            try channel.pipeline.syncOperations.addHandler(handler, name: name)
        }
    }

    /// Takes HTTP off again, once a tunnel is open.
    static func removeHandlers(from channel: any Channel) async throws {
        for name in handlerNames.reversed() {
            try await channel.pipeline.removeHandler(name: name).get()
        }
    }

    /// Sends a request and awaits the head of its response; the completion is called once with whether the connection can
    /// take another request.
    func exchange(
        _ request: HTTPRequest, absoluteForm: Bool = false, body: [UInt8]? = nil,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws -> HTTPExchange.Response {
        var head = try HTTPRequestHead(request, absoluteForm: absoluteForm)
        if head.method == .CONNECT { head.method = ConnectMethodHandler.disguise }
        let contents = body.map(ByteBuffer.init(bytes:))
        if let contents {
            head.headers.replaceOrAdd(name: "Content-Length", value: String(contents.readableBytes))
        }
        let promise = channel.eventLoop.makePromise(of: HTTPExchange.Response.self)
        let exchange = HTTPExchange(request: head, body: contents, response: promise, completion: completion)
        return try await withTaskCancellationHandler {
            channel.writeAndFlush(exchange).whenFailure { error in
                promise.fail(failure.classify(error, .request))
            }
            do {
                return try await promise.futureResult.get()
            } catch {
                try Task.checkCancellation()
                throw error
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
