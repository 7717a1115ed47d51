// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import HTTPTypes

/// The state of one request to one URL: its authentication to the origin and to the proxy, and the connection that it holds.
///
/// ``AuthenticationStage`` answers challenges with it, and ``ConnectionStage`` sends the request with it.
final class Transaction {
    let context: RequestContext
    private let message: PipelineRequest.Message
    var route: RequestRoute
    let originAuthentication: RequestAuthentication
    let proxyAuthentication: RequestAuthentication?
    var identityInAdvance: Credential?
    /// The connection that is being authenticated, where one is.
    var lease: ConnectionLease?
    var expectsContinue: Bool
    /// Whether the last request went over HTTP/2.
    var hasSpokenHTTP2 = false
    /// Whether a pooled connection of HTTP/1.1 was lost with the request, so that the next one is new.
    var needsNewConnection = false

    var request: Request { message.request }
    var url: HTTPURL { message.url }
    var core: SessionCore { context.core }

    /// - Throws: ``RequestError/plainHTTPForbidden(_:)``, ``TLSError/versionsExcluded(_:minimum:)``.
    init(_ message: PipelineRequest.Message, _ context: RequestContext) throws(SessionError) {
        let (core, request, url) = (context.core, message.request, message.url)
        (self.context, self.message) = (context, message)
        expectsContinue = request.body.map { $0.awaitsContinue || request.headerFields.expectsContinue } ?? false
        route = try core.routes.route(
            to: url, overriding: request.trust,
            onlyHTTP1: core.isHTTP1Only(url.endpoint)
                || core.configuration.httpVersions == .all && request.authenticatesConnection)
        originAuthentication = RequestAuthentication(
            challenger: Challenger(origin: url), context: context, own: request.ownCredential,
            allowed: route.originMethods, proposedUser: request.proposedUser, target: url.target)
        proxyAuthentication = route.proxy.map { [route] in
            RequestAuthentication(
                challenger: Challenger(proxy: $0), context: context, own: $0.ownCredential,
                allowed: route.proxyMethods, target: url.target)
        }
    }

    /// Goes on in HTTP/1.1: a scheme that authenticates a connection cannot share one, as HTTP/2 does.
    func fallBackToHTTP1() throws(SessionError) {
        core.noteHTTP1Only(url.endpoint)
        route = try core.routes.route(to: url, overriding: request.trust, onlyHTTP1: true)
    }

    /// Whether the connection is so far, with the origin or with a proxy that is asked for the resource itself.
    func isConnection(_ progress: ConnectionBinding.Progress) -> Bool {
        originAuthentication.machine.progress == progress || forwardingAuthentication?.machine.progress == progress
    }

    /// Those of a proxy that is asked for the resource itself.
    var forwardingAuthentication: RequestAuthentication? { route.usesAbsoluteForm ? proxyAuthentication : nil }
}
