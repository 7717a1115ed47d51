// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import EssentialFoundation
import HTTPTransport
import HTTPTypes

/// The sending of one request to one URL: its authentication to the origin and to the proxy, and the connection that it
/// holds.
///
/// ``AuthenticationStage`` creates it, and answers challenges with it. ``send(_:)``, the end of the pipeline, sends the
/// request over the held connection, a pooled one or a new one. It repeats a request that no server has processed, and
/// an idempotent request that was lost with a reused connection.
final class Transaction {
    let context: RequestContext
    /// The deadline of the attempt or of the request, whichever is earlier.
    private let deadline: HTTPExchange.Deadline?
    private let message: RequestMessage
    var route: RequestRoute
    let originAuthentication: RequestAuthentication
    let proxyAuthentication: RequestAuthentication?
    /// The lease of the connection that is being authenticated, if any.
    var lease: HTTPConnection.Lease?
    /// Whether the body waits for a 100 (Continue) response; ``ExpectationStage`` decides.
    var expectsContinue: Bool
    /// Whether the last request went over HTTP/2.
    var usedHTTP2 = false

    var request: SessionRequest { message.request }
    var url: HTTPURL { message.url }
    var core: SessionCore { context.core }

    /// Creates the transaction.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/plainHTTPForbidden(_:)``,
    ///   ``TLSError/versionsExcluded(_:minimum:)``.
    init(
        _ message: RequestMessage, _ context: RequestContext, deadline: HTTPExchange.Deadline?
    ) throws(SessionError) {
        let (core, request, url) = (context.core, message.request, message.url)
        (self.context, self.message, self.deadline) = (context, message, deadline)
        expectsContinue = request.expectsContinue
        route = try core.routes.route(
            to: url, overriding: request.trust, under: request.policies,
            onlyHTTP1: core.isHTTP1Only(url.endpoint)
                || core.configuration.httpVersions == .all && request.authenticatesConnection)
        originAuthentication = RequestAuthentication(
            challenger: Challenger(origin: url), context: context,
            own: request.ownCredential(
                for: url, among: core.configuration.credentials, isProtected: route.protects(url)),
            allowed: route.originMethods, proposedUser: request.proposedUser, target: url.target)
        proxyAuthentication = route.proxy.map { [route] in
            RequestAuthentication(
                challenger: Challenger(proxy: $0), context: context, own: $0.ownCredential,
                allowed: route.proxyMethods, target: url.target)
        }
    }

    /// Falls back to HTTP/1.1, because a scheme that authenticates a connection, and post-handshake authentication,
    /// cannot be used on a shared HTTP/2 connection.
    func fallBackToHTTP1() throws(SessionError) {
        core.noteHTTP1Only(url.endpoint)
        route = try core.routes.route(
            to: url, overriding: request.trust, under: request.policies, onlyHTTP1: true)
    }

    /// Returns whether the exchange with the origin or with the forwarding proxy is in this state.
    func isConnection(_ progress: BoundUser.Progress) -> Bool {
        originAuthentication.machine.progress == progress || forwardingAuthentication?.machine.progress == progress
    }

    /// The proxy's authentication, if the proxy forwards the request (absolute form).
    var forwardingAuthentication: RequestAuthentication? { route.usesAbsoluteForm ? proxyAuthentication : nil }
}

extension Transaction {
    /// Sends the request until a server has responded to it.
    ///
    /// - Parameter fields: The header fields, without those that this method adds.
    /// - Returns: The response. Its body has yet to be read.
    /// - Throws: ``SessionError``, `CancellationError`, and the errors of handlers.
    func send(_ fields: HTTPFields) async throws -> SessionResponse {
        guard !core.pool.isClosed else { throw SessionError.cancelled(.sessionClosed) }
        do {
            var response = try await sendWithRepeats(fields)
            guard response.status == .forbidden else { return response }
            guard let refusal = try await postHandshakeRefusal(&response) else { return response }
            return try await sendAgain(fields, after: refusal, by: response.connection.tls?.library)
        } catch SessionError.tls(.clientCertificateRefused(let peer, let request, presented: _, let alert)) {
            throw refusal(by: peer, request, alert)
        }
    }

    /// Sends the request, and repeats it if no server has processed it, at most four times in all (``RepeatBudget``).
    ///
    /// - An idle connection that has closed is not leased; the pool takes another one.
    /// - A request that was not processed is repeated, whatever its method: the connection was closed before the
    ///   request was written, or the server said so (GOAWAY, REFUSED_STREAM).
    /// - A request that was lost with a reused connection is repeated over a new connection if it is idempotent (RFC
    ///   9112 section 9.3.1).
    func sendWithRepeats(_ fields: HTTPFields) async throws -> SessionResponse {
        if lease != nil, let response = try await sendOverHeldConnection(fields) { return response }
        if usedHTTP2, originAuthentication.machine.needsOwnConnection, route.connection.maySupportHTTP2 {
            try fallBackToHTTP1()
        }
        // Whether a pooled HTTP/1.1 connection was lost with the request.
        var needsNewConnection = false
        while true {
            var isReused = false
            do {
                return try await sendOverAnyConnection(fields, needsNewConnection, &isReused)
            } catch {
                try prepareRepeat(after: error, isReused: isReused, &needsNewConnection)
            }
        }
    }

    /// Prepares a failed request for another attempt.
    ///
    /// - Throws: The failure if the request may not be repeated.
    private func prepareRepeat(after failure: any Error, isReused: Bool, _ needsNewConnection: inout Bool) throws {
        if let failure = failure as? HTTP1Required {
            let error = failure.error(at: url)
            guard core.configuration.httpVersions == .all, route.connection.maySupportHTTP2 else { throw error }
            // First, make later requests use HTTP/1.1, even if this one cannot be repeated.
            try fallBackToHTTP1()
            guard request.body?.isAvailable ?? true, context.takeRepeat() else { throw error }
        } else if try takeRepeat(after: failure, isReused: isReused) {
            needsNewConnection = true
        }
        restart()
    }

    /// Takes one repeat from the budget if a failed request may be repeated.
    ///
    /// - Returns: Whether the request was lost with its connection.
    /// - Throws: The failure if the request may not be repeated.
    private func takeRepeat(after failure: any Error, isReused: Bool) throws -> Bool {
        let hasBody = request.body?.isAvailable ?? true
        switch failure {
        // The server may have processed the request, so it is not repeated; later requests use HTTP/1.1.
        case SessionError.connection(.goAway(_, _, let reason)) where reason.requiresHTTP1:
            core.noteHTTP1Only(url.endpoint)
            throw failure
        case let failure as RequestNotProcessed:
            guard Self.isLoss(failure.reason), hasBody, context.takeRepeat() else { throw failure.reason }
            return false
        // The server closed the connection while it was idle (RFC 9112 section 9.3.1).
        case SessionError.connection(.lost) where isReused && request.method.isIdempotent && hasBody,
            SessionError.connection(.goAway) where isReused && request.method.isIdempotent && hasBody:
            guard context.takeRepeat() else { throw failure }
            return true
        default: throw failure
        }
    }

    private static func isLoss(_ error: any Error) -> Bool {
        switch error {
        case SessionError.connection(.lost), SessionError.connection(.goAway), SessionError.response(.streamReset): true
        default: false
        }
    }

    private func sendOverAnyConnection(
        _ fields: HTTPFields, _ needsNewConnection: Bool, _ isReused: inout Bool
    ) async throws -> SessionResponse {
        // Cancellation is checked before a lease, because a leased connection would be closed with the request.
        try Task.checkCancellation()
        let lease = try await SessionError.translating {
            try await core.pool.lease(
                route.connection, connectTimeout: request.connectTimeout,
                delegate: LeaseDecisions(for: self, needsNewConnection: needsNewConnection))
        }
        guard !core.requests.isAborted else {
            lease.retire()
            throw SessionError.cancelled(.sessionClosed)
        }
        isReused = lease.isReused
        core.metrics?.note(lease)
        return try await send(fields, over: lease)
    }

    /// Sends the request over the connection that the transaction holds; `nil` if that connection cannot be used.
    ///
    /// - Throws: ``SessionError`` of ``HTTPAuthenticationError/interrupted(_:)`` if the exchange cannot continue because
    ///   its connection was lost.
    private func sendOverHeldConnection(_ fields: HTTPFields) async throws -> SessionResponse? {
        guard let held = lease else { return nil }
        lease = nil
        let interruption = isConnection(.exchanging) ? interruption : nil
        guard held.isReady else {
            held.retire()
            // A cancelled task closes the connection, which must not be reported as a loss.
            try Task.checkCancellation()
            if let interruption { throw interruption }
            return nil
        }
        do {
            return try await send(fields, over: held)
        } catch {
            if let interruption, error is RequestNotProcessed || Self.isLoss(error) { throw interruption }
            _ = try takeRepeat(after: error, isReused: true)
            restart()
            return nil
        }
    }

    /// Retires, releases or keeps the held connection after the server has responded.
    ///
    /// If the request continues, its next message uses the same connection.
    func settleLease(isDelivered: Bool) {
        if isConnection(.refused) || isDelivered && isConnection(.exchanging) {
            lease?.retire()
        } else if isDelivered {
            request.authenticatesConnection ? lease?.retire() : lease?.release()
        } else {
            return
        }
        lease = nil
    }

    /// Discards the rest of a response that is not delivered, and prepares to send the request again.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/notRepeatable(_:)``.
    func prepareResend(after response: SessionResponse) async throws {
        try await response.body.discard(
            upTo: lease == nil ? SessionResponseBody.discardLimit : SessionResponseBody.challengeLimit)
        settleLease(isDelivered: false)
        try request.requireRepeatableBody(for: url)
    }

    /// Resets the authentication for another connection, because the current one was lost.
    func restart() {
        lease = nil
        originAuthentication.restart()
        proxyAuthentication?.restart()
    }

    /// The error for a connection that was lost between two messages of a scheme that authenticates it.
    var interruption: SessionError? {
        (originAuthentication.binding ?? proxyAuthentication?.binding)
            .map { .authentication(.interrupted($0.space)) }
    }
}

/// A single exchange: one request and the head of its response.
extension Transaction {
    /// Sends the request over a leased connection, and retires the lease if sending fails.
    private func send(_ fields: HTTPFields, over lease: HTTPConnection.Lease) async throws -> SessionResponse {
        do {
            return try await exchange(fields, over: lease)
        } catch {
            lease.retire()
            throw error
        }
    }

    private func exchange(_ fields: HTTPFields, over lease: HTTPConnection.Lease) async throws -> SessionResponse {
        let connection = lease.connection
        usedHTTP2 = connection.isMultiplexed
        var head = try await head(fields, over: connection)
        if isConnection(.exchanging), connection.isMultiplexed { throw HTTP1Required() }
        noteBindings(of: connection)
        // The next message of a scheme that authenticates connections needs the same connection.
        let holdsConnection = isConnection(.exchanging)
        self.lease = holdsConnection ? lease : nil
        let body = withholdsBody ? nil : request.body
        let waits = announceBody(isSent: body != nil, in: &head.headerFields, over: connection)
        let recorder = ExchangeRecorder.watch(
            head, to: url, isAbsoluteForm: route.usesAbsoluteForm, body: body, over: connection, context)
        let completionAction: HTTPConnection.Lease.CompletionAction =
            holdsConnection ? .hold : request.authenticatesConnection ? .retire : .release
        let completion: (@Sendable () -> Void)? = recorder.map { recorder in { @Sendable in recorder.end() } }
        let response: HTTPExchange.Response
        do {
            response = try await lease.send(
                head, body: body?.outgoing, options: options(waits: waits, over: connection),
                completionAction: completionAction, completion: completion)
        } catch {
            let error = SessionError.translated(error)
            recorder?.fail(error)
            throw error
        }
        recorder?.respond(response.head)
        return SessionResponse(
            status: response.head.status, headerFields: response.head.headerFields, url: url.description,
            sharedReport: connection.sharedReport, body: SessionResponseBody(response.body))
    }

    /// Records the users that the request authenticates its connection as.
    private func noteBindings(of connection: HTTPConnection) {
        if let binding = originAuthentication.binding { connection.amend { $0.originBinding = binding } }
        if let binding = forwardingAuthentication?.binding { connection.amend { $0.proxyBinding = binding } }
    }

    private func options(waits: Bool, over connection: HTTPConnection) -> HTTPExchange.Options {
        HTTPExchange.Options(
            isAbsoluteForm: route.usesAbsoluteForm, continueTimeout: waits ? core.configuration.continueTimeout : nil,
            limits: .init(
                response: core.configuration.responseTimeout.map { Timeout($0, .response) }, idle: request.idleTimeout,
                deadline: deadline),
            selectIdentity: connection.mayRequestIdentity ? identitySelection(for: connection) : nil)
    }

    /// Whether the next message only begins an exchange, so that sending the body with it would be useless.
    var withholdsBody: Bool {
        request.body != nil
            && (originAuthentication.withholdsBody || forwardingAuthentication?.withholdsBody == true)
    }

    private func head(_ fields: HTTPFields, over connection: HTTPConnection) async throws -> HTTPRequest {
        var head = headWithoutCredentials(fields, over: connection)
        if route.usesAbsoluteForm {
            head.headerFields[.proxyAuthorization] = try await proxyAuthorization(over: connection)
        }
        if head.headerFields[.authorization] == nil, let value = try await originAuthorization(over: connection) {
            head.headerFields[.authorization] = value
        }
        return head
    }

    private func headWithoutCredentials(_ fields: HTTPFields, over connection: HTTPConnection) -> HTTPRequest {
        let authority = route.usesAbsoluteForm ? url.authority : request.authority ?? url.authority
        var head = HTTPRequest(
            method: request.method, scheme: url.scheme.rawValue, authority: authority, path: url.target,
            headerFields: fields)
        // Reserves capacity for the fields that are added below.
        head.headerFields.reserveCapacity(fields.count + 5)
        head.headerFields.complete(.userAgent)
        head.headerFields.complete(.accept)
        if let type = request.body?.contentType {
            head.headerFields.complete(HTTPField(name: .contentType, value: type))
        }
        if core.configuration.decodesContent {
            head.headerFields.completeAcceptEncoding(asksForCompression: core.configuration.asksForCompression)
        }
        // A Proxy-Authorization field must never reach an origin, not even through a tunnel (CVE-2003-1605).
        head.headerFields.remove(.proxyAuthorization)
        if !connection.isMultiplexed { head.headerFields.joinCookies() }
        return head
    }

    private func proxyAuthorization(over connection: HTTPConnection) async throws -> String? {
        // The facts contain only the path, as in browsers and curl, because proxies compare nothing else.
        try await proxyAuthentication?.authorization(
            for: facts(channelBinding: connection.channelBinding), over: connection.proxyBinding)
    }

    private func originAuthorization(over connection: HTTPConnection) async throws -> String? {
        try await originAuthentication.authorization(
            for: facts(channelBinding: url.scheme == .https ? connection.channelBinding : nil),
            over: connection.originBinding,
            // Two concurrent exchanges on one connection would confuse each other's messages.
            mayExchange: forwardingAuthentication?.machine.progress != .exchanging)
    }

    private func facts(channelBinding: ChannelBinding?) -> RequestFacts {
        RequestFacts(
            method: request.method.rawValue, target: url.target,
            body: request.body.map(\.bytes) ?? [], channelBinding: channelBinding)
    }
}

extension HTTPField {
    fileprivate static let userAgent = Self(name: .userAgent, value: "countersign")
    fileprivate static let accept = Self(name: .accept, value: "*/*")
}

extension HTTP1Required {
    /// The error of a request that cannot be sent again over HTTP/1.1.
    fileprivate func error(at url: HTTPURL) -> SessionError {
        reason.map { SessionError($0) } ?? .response(.streamReset(url.endpoint, .http1Required))
    }
}

extension SessionRequest {
    /// Whether the request's own `Authorization` field authenticates the connection, for a user that the session does
    /// not know.
    var authenticatesConnection: Bool {
        guard let value = explicitFields[.authorization] else { return false }
        return AuthenticationMethod(String(value.prefix { $0 != " " })).isConnectionBound
    }
}
