// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One connection that speaks HTTP/1.1 or HTTP/2, to an origin or to a proxy.
struct HTTPConnection: Sendable {
    let channel: any Channel
    /// `nil` for HTTP/1.1.
    let streams: HTTP2Streams?
    private let facts: Facts
    /// `nil` where there are none.
    private var answers: Answers?

    init(
        channel: any Channel, streams: HTTP2Streams?, report: ConnectionReport, admission: Admission,
        failure: ChannelFailure, channelBinding: ChannelBinding?
    ) {
        (self.channel, self.streams) = (channel, streams)
        facts = Facts(report: report, failure: failure, channelBinding: channelBinding)
        self.admission = admission
    }

    /// What never changes, held once however often a connection is handed on.
    private final class Facts: Sendable {
        let report: SharedReport
        let failure: ChannelFailure
        let channelBinding: ChannelBinding?

        init(report: ConnectionReport, failure: ChannelFailure, channelBinding: ChannelBinding?) {
            (self.report, self.failure, self.channelBinding) = (SharedReport(report), failure, channelBinding)
        }
    }

    private final class Answers: Sendable {
        let admission: Admission

        init(_ admission: Admission) { self.admission = admission }
    }

    var report: ConnectionReport { facts.report.report }
    var sharedReport: SharedReport { facts.report }
    var failure: ChannelFailure { facts.failure }
    /// What ties an answer to this connection's TLS, to the origin or, for plain http, to the proxy; `nil` without TLS.
    var channelBinding: ChannelBinding? { facts.channelBinding }

    /// What this connection was opened with, checked again whenever it is taken from the pool.
    var admission: Admission {
        get { answers?.admission ?? Admission() }
        set { answers = newValue == Admission() ? nil : Answers(newValue) }
    }

    /// Whether a later request may use what its answers opened.
    var mayBeShared: Bool { answers?.admission.mayBeShared ?? true }

    /// Whose it is to the origin, and to a proxy that is asked for resources themselves.
    var originBinding: ConnectionBinding? { answers?.admission.originBinding }
    var proxyBinding: ConnectionBinding? { answers?.admission.proxyBinding }

    /// Whether it was opened without any answer, so that every request may use it.
    var isPlain: Bool { answers == nil }

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
        /// When the first answer about revocation that opened it is out of date.
        var verdictEnd: Date?
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
    var isAlive: Bool {
        channel.isActive && !facts.failure.record.hasFailed && streams?.isDraining != true
    }

    /// Largest head of a response, in bytes, all fields together.
    static let headLimit = 256 * 1024

    /// Puts HTTP/1.1 on a channel whose bytes are what the peer sent, decrypted.
    static func addHandlers(to channel: any Channel, settings: HTTP1Settings, failure: ChannelFailure) throws {
        let watch = SilenceWatch(limit: settings.idleTimeout, on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(
            ExchangeHandler(wire: HTTP1Wire(settings.lineEnding), failure: failure, watch: watch))
    }

    /// Takes HTTP off again, once a tunnel is open.
    static func removeHandlers(from channel: any Channel) async throws {
        try await channel.eventLoop.flatSubmit {
            let pipeline = channel.pipeline.syncOperations
            do {
                return pipeline.removeHandler(
                    context: try pipeline.context(handlerType: ExchangeHandler<HTTP1Wire>.self))
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }.get()
    }

    /// What one exchange needs beyond the request.
    struct ExchangeOptions: Sendable {
        /// Whether a proxy is asked for the resource itself.
        var isAbsoluteForm = false
        /// How long the body waits for the server's word; `nil` where it does not wait.
        var continueTimeout: Duration?
        var limits = HTTPExchange.Limits()
    }

    /// Sends a request and awaits the head of its response; the completion is called once with whether the connection can
    /// take another request.
    ///
    /// - Parameters:
    ///   - request: Without fields that say how long the body is.
    ///   - body: Sent at once, or while the response is awaited.
    ///   - options: How the request is sent, and how long it may take.
    ///   - completion: Called on the event loop.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError``, ``RequestNotProcessed``, ``HTTP1Required``, and what producing the body throws.
    func exchange(
        _ request: HTTPRequest, body: RequestBody? = nil, options: ExchangeOptions = ExchangeOptions(),
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws -> HTTPExchange.Response {
        var request = request
        Self.frame(&request, body, isChunked: streams == nil)
        guard let body, options.continueTimeout != nil || body.bytes == nil else {
            let whole = HTTPExchange.Body.whole(body?.bytes.map(ByteBuffer.init(bytes:)))
            return try await start(request, whole, options, completion: completion)
        }
        let permission = channel.eventLoop.makePromise(of: (any Channel).self)
        let sender = BodyUpload(peer: failure.peer, body: body, permission: permission.futureResult)
        let upload = Task { await sender.run() }
        let following = HTTPExchange.Body.following(
            permission: permission, continueTimeout: options.continueTimeout.map(TimeAmount.init))
        let end: @Sendable () -> Void = {
            permission.fail(BodyUpload.AnsweredEarly())
            upload.cancel()
        }
        do {
            return try await start(request, following, options) { isReusable in
                end()
                completion(isReusable)
            }
        } catch {
            end()
            throw error
        }
    }

    private func start(
        _ request: HTTPRequest, _ body: HTTPExchange.Body, _ options: ExchangeOptions,
        completion: @escaping @Sendable (Bool) -> Void
    ) async throws -> HTTPExchange.Response {
        let exchange = HTTPExchange(
            request: request, isAbsoluteForm: options.isAbsoluteForm, body: body, limits: options.limits,
            completion: completion)
        do {
            return try await withTaskCancellationHandler {
                try await exchange.response { begin(exchange) }
            } onCancel: {
                exchange.cancel()
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    /// Once on the event loop, it stays there until the response is there.
    private func begin(_ exchange: HTTPExchange) {
        channel.eventLoop.execute { [channel, streams, failure] in
            if let streams {
                streams.begin(exchange, on: channel, failure: failure)
            } else {
                exchange.begin(on: channel, failure: failure)
            }
        }
    }

    /// A length that the user wrote cannot be right where it differs, and where it does not it is not needed.
    private static func frame(_ request: inout HTTPRequest, _ body: RequestBody?, isChunked: Bool) {
        request.headerFields.remove(.contentLength)
        request.headerFields.remove(.transferEncoding)
        if let body {
            if let length = body.length {
                request.headerFields[.contentLength] = String(length)
            } else if isChunked {
                request.headerFields[.transferEncoding] = "chunked"
            }
        } else if [.post, .put, .patch].contains(request.method) {
            // RFC 9110 section 8.6.
            request.headerFields[.contentLength] = "0"
        }
    }
}
