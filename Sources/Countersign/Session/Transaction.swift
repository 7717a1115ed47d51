// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore

/// One request to one URL, with every challenge that stands before its response.
final class Transaction {
    let core: SessionCore
    let request: Request
    let url: HTTPURL
    var route: RequestRoute
    /// When the response must have been read whole.
    var deadline: NIODeadline?
    var originRounds: AuthenticationRounds
    var proxyRounds: AuthenticationRounds?
    var identityInAdvance: Credential?
    /// The connection that is being authenticated, where one is.
    var lease: ConnectionLease?
    var expectsContinue: Bool
    /// Whether the last request went over HTTP/2.
    var hasSpokenHTTP2 = false
    /// Whether a pooled connection of HTTP/1.1 was lost with the request, so that the next one is new.
    var needsNewConnection = false
    /// Shared by all transactions of one request.
    let repeats: RepeatBudget

    /// - Throws: ``SessionError/plainHTTPForbidden(_:)``, ``SessionError/tlsVersionsExcluded(_:minimum:)``.
    init(
        _ request: Request, to url: HTTPURL, core: SessionCore, repeats: RepeatBudget, answers: AnswerCount
    ) throws(SessionError) {
        self.core = core
        self.repeats = repeats
        self.request = request
        self.url = url
        expectsContinue = request.body.map { $0.awaitsContinue || request.headerFields.expectsContinue } ?? false
        route = try core.routes.route(
            to: url, overriding: request.trust,
            onlyHTTP1: core.isHTTP1Only(url.endpoint)
                || core.configuration.httpVersions == .all && request.authenticatesConnection)
        originRounds = AuthenticationRounds(
            asker: Asker(origin: url), core: core, own: request.ownCredential, allowed: route.originMethods,
            proposedUser: request.proposedUser, target: url.target, answers: answers)
        proxyRounds = route.proxy.map { [route] in
            AuthenticationRounds(
                asker: Asker(proxy: $0), core: core, own: $0.ownCredential, allowed: route.proxyMethods,
                target: url.target, answers: answers)
        }
    }

    /// The method by which the origin accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? { originRounds.acceptedOwnMethod }

    /// Sends the request until its response is no challenge, or one that no handler answers.
    func perform() async throws -> Response {
        var withheldCount = 0
        do {
            while true {
                guard !core.pool.isClosed else { throw SessionError.sessionClosed }
                guard var response = try await sendUnlessRenegotiated() else { continue }
                // What was sent only as the first message of an exchange, and answered as if that were not needed, lacked its body.
                let lacksBody = withholdsBody && !Self.challenges.contains(response.status)
                let isToBeSentAgain = try await answerChallenge(of: &response)
                if lacksBody {
                    withheldCount += 1
                    if withheldCount > Self.withheldLimit, let interruption { throw interruption }
                }
                guard isToBeSentAgain || lacksBody else {
                    settleLease(isDelivered: true)
                    if response.status != .tooManyRequests, !response.status.isServerError {
                        if originRounds.accepted != nil { await originRounds.keepAccepted() }
                        if let proxyRounds, proxyRounds.accepted != nil { await proxyRounds.keepAccepted() }
                    }
                    return response
                }
                try await response.body.discard(
                    upTo: lease == nil ? ResponseBody.discardLimit : ResponseBody.challengeLimit)
                settleLease(isDelivered: false)
                try request.checkBody(for: url)
            }
        } catch {
            lease?.connection.channel.close(promise: nil)
            throw error
        }
    }

    /// Goes on in HTTP/1.1: a scheme that authenticates a connection cannot share one, as HTTP/2 does.
    func fallBackToHTTP1() throws(SessionError) {
        core.noteHTTP1Only(url.endpoint)
        route = try core.routes.route(to: url, overriding: request.trust, onlyHTTP1: true)
    }

    /// How often a server may take a first message for all it needs, and then want another one.
    private static let withheldLimit = 4

    private static let challenges: Set<HTTPResponse.Status> = [.unauthorized, .proxyAuthenticationRequired]

    /// Decides on a connection that one credential authenticates, once its server has.
    ///
    /// What goes on with this request goes on over the same connection.
    private func settleLease(isDelivered: Bool) {
        if isConnection(.refused) || isDelivered && isConnection(.exchanging) {
            lease?.retire()
        } else if isDelivered {
            request.authenticatesConnection ? lease?.retire() : lease?.release()
        } else {
            return
        }
        lease = nil
    }

    /// Whether the connection is so far, with the origin or with a proxy that is asked for the resource itself.
    func isConnection(_ progress: ConnectionBinding.Progress) -> Bool {
        originRounds.progress == progress || route.usesAbsoluteForm && proxyRounds?.progress == progress
    }

    /// Those of a proxy that is asked for the resource itself.
    var forwardingRounds: AuthenticationRounds? { route.usesAbsoluteForm ? proxyRounds : nil }

    /// - Returns: Whether the request is to be sent again.
    private func answerChallenge(of response: inout Response) async throws -> Bool {
        switch response.status {
        case .proxyAuthenticationRequired where proxyRounds != nil && route.usesAbsoluteForm:
            originRounds.restart()
            if try await proxyRounds?.receive(response.headerFields) == true { return true }
            throw proxyRounds?.refusal ?? SessionError.proxyAuthenticationRequired(url.endpoint, [])
        case .unauthorized where request.headerFields[.authorization] == nil:
            try await accept(&response, isTheOrigins: false)
            return try await originRounds.receive(response.headerFields)
        case .expectationFailed where expectsContinue && request.body?.isAvailable == true:
            expectsContinue = false
            return true
        default:
            try await accept(&response, isTheOrigins: true)
            return false
        }
    }

    /// Largest body that is read before it is delivered, because its server vouches for it (`auth-int`), in bytes.
    private static let checkedBodyLimit = 16 << 20

    /// The proxy let the request through, if it was asked for the resource itself, and perhaps the origin did.
    private func accept(_ response: inout Response, isTheOrigins: Bool) async throws {
        let fields = response.headerFields
        var body: [UInt8]?
        if isTheOrigins && originRounds.checksBody(with: fields)
            || forwardingRounds?.checksBody(with: fields) == true
        {
            let content = try await response.body.collect(upTo: Self.checkedBodyLimit)
            response = response.replacingBody(with: content)
            body = Array(content.readableBytesView)
        }
        // Through a tunnel nothing that arrives is the proxy's.
        if route.usesAbsoluteForm { try proxyRounds?.accept(fields, body: body) }
        if isTheOrigins { try originRounds.accept(fields, body: body) }
    }
}
