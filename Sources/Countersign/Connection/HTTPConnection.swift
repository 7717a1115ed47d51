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
    var admission: Admission
    let failure: ChannelFailure
    /// What ties an answer to this connection's TLS, to the origin or, for plain http, to the proxy; `nil` without TLS.
    let channelBinding: ChannelBinding?

    /// The answers without which the connection would not exist.
    struct Admission: Hashable, Sendable {
        var identity: Credential?
        /// Whether an identity was asked for and none was presented.
        var isAnonymous = false
        var acceptedTrust: Credential?
        var tunnel: Credential?
        /// The same of an encrypted connection to a proxy.
        var proxyIdentity: Credential?
        var isAnonymousToProxy = false
        var proxyAcceptedTrust: Credential?
        /// Whose the connection is to the origin, and to a proxy that is asked for resources themselves.
        var originBinding: ConnectionBinding?
        var proxyBinding: ConnectionBinding?

        /// Whether a later request may use what these answers opened.
        var mayBeShared: Bool {
            [
                identity, acceptedTrust, tunnel, proxyIdentity, proxyAcceptedTrust, originBinding?.credential,
                proxyBinding?.credential,
            ].allSatisfy { $0?.persistence != Credential.Persistence.none }
        }
    }

    /// Whether it can still take a request; TLS takes its time to close.
    var isAlive: Bool { channel.isActive && failure.record.facts.lateFailure == nil }

    private static let handlerNames = ["idle", "encoder", "connect", "decoder", "exchange"].map { "countersign." + $0 }

    /// Largest head of a response, in bytes, all fields together.
    static let headLimit = 256 * 1024

    /// Puts HTTP/1.1 on a channel whose bytes are what the peer sent, decrypted.
    static func addHandlers(to channel: any Channel, idleTimeout: Duration, failure: ChannelFailure) throws {
        // The length of a body is said in ``exchange(_:absoluteForm:body:continueTimeout:completion:)``; NIO would give a CONNECT an empty chunked one.
        var framing = HTTPRequestEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let handlers: [any ChannelHandler] = [
            IdleStateHandler(allTimeout: TimeAmount(idleTimeout)),
            HTTPRequestEncoder(configuration: framing),
            ConnectMethodHandler(),
            ResponseDecoder(headLimit: headLimit),
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
    ///
    /// - Parameters:
    ///   - request: Without fields that say how long the body is.
    ///   - absoluteForm: Whether a proxy is asked for the resource itself.
    ///   - body: Sent at once, or while the response is awaited.
    ///   - continueTimeout: How long the body waits for the server's word; `nil` where it does not wait.
    ///   - completion: Called on the event loop.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError``, and what producing the body throws.
    func exchange(
        _ request: HTTPRequest, absoluteForm: Bool = false, body: RequestBody? = nil,
        continueTimeout: Duration? = nil, completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws -> HTTPExchange.Response {
        var head = try HTTPRequestHead(request, absoluteForm: absoluteForm)
        if head.method == .CONNECT { head.method = ConnectMethodHandler.disguise }
        Self.frame(&head, body)
        guard let body, continueTimeout != nil || body.bytes == nil else {
            let whole = HTTPExchange.Body.whole(body?.bytes.map(ByteBuffer.init(bytes:)))
            return try await start(head, whole, completion: completion)
        }
        let permission = channel.eventLoop.makePromise(of: Void.self)
        let sender = BodyUpload(
            channel: channel, endpoint: failure.endpoint, body: body, permission: permission.futureResult)
        let upload = Task { await sender.run() }
        let following = HTTPExchange.Body.following(
            permission: permission, continueTimeout: continueTimeout.map(TimeAmount.init))
        let end: @Sendable () -> Void = {
            permission.fail(BodyUpload.AnsweredEarly())
            upload.cancel()
        }
        do {
            return try await start(head, following) { isReusable in
                end()
                completion(isReusable)
            }
        } catch {
            end()
            throw error
        }
    }

    private func start(
        _ head: HTTPRequestHead, _ body: HTTPExchange.Body, completion: @escaping @Sendable (Bool) -> Void
    ) async throws -> HTTPExchange.Response {
        let promise = channel.eventLoop.makePromise(of: HTTPExchange.Response.self)
        let claim = ExchangeClaim()
        let exchange = HTTPExchange(request: head, body: body, response: promise) { isReusable in
            completion(claim.settle() && isReusable)
        }
        return try await withTaskCancellationHandler {
            channel.writeAndFlush(HTTPExchange.Outbound.start(exchange)).whenFailure { error in
                promise.fail(failure.classify(error, .request))
            }
            do {
                return try await promise.futureResult.get()
            } catch {
                try Task.checkCancellation()
                throw error
            }
        } onCancel: {
            if claim.settle() { channel.close(promise: nil) }
        }
    }

    /// A length that the user wrote cannot be right where it differs, and where it does not it is not needed.
    private static func frame(_ head: inout HTTPRequestHead, _ body: RequestBody?) {
        head.headers.remove(name: "Content-Length")
        head.headers.remove(name: "Transfer-Encoding")
        if let body {
            if let length = body.length {
                head.headers.add(name: "Content-Length", value: String(length))
            } else {
                head.headers.add(name: "Transfer-Encoding", value: "chunked")
            }
        } else if [.POST, .PUT, .PATCH].contains(head.method) {
            // RFC 9110 section 8.6.
            head.headers.add(name: "Content-Length", value: "0")
        }
    }
}
