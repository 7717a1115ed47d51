// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import HTTPTransport
import NIOCore

extension HTTPSession {
    /// Fetches a server's chain and evaluates it under the session's policy, without trusting the server and without
    /// sending a request.
    ///
    /// No handler is asked about the server, and no identity is presented to it; a proxy in between is trusted and
    /// authenticated to as for a request. Nothing about the server is remembered.
    ///
    /// - Parameters:
    ///   - url: An absolute `https` URL; only its host and port are used.
    ///   - startTLS: The protocol in which the server is asked for TLS; `nil` if the handshake comes first.
    ///   - time: The instant at which the chain is evaluated; `nil` for the present.
    /// - Returns: The chain and its verdict, even if the handshake failed after the chain had arrived.
    /// - Throws: ``SessionError`` if the URL is not an `https` URL, or if no chain arrived; `CancellationError` if the
    ///   task is cancelled; any error of a handler that answers a proxy's challenge.
    @concurrent public func inspect(
        _ url: String, startTLS: StartTLS? = nil, at time: Date? = nil
    ) async throws -> ServerTrust {
        guard !core.pool.isClosed else { throw SessionError.cancelled(.sessionClosed) }
        let url = try HTTPURL(url)
        guard url.scheme == .https else { throw SessionError.request(.notEncrypted(url.description)) }
        let route = try core.routes.route(to: url)
        let context = RequestContext(core: core)
        let authentication = route.proxy.map {
            RequestAuthentication(
                challenger: Challenger(proxy: $0), context: context, own: $0.ownCredential,
                allowed: route.proxyMethods, target: url.target)
        }
        let inspection = TrustInspection(at: time)
        defer { inspection.end() }
        let decisions = LeaseDecisions(
            context: context, route: route, proxyAuthentication: authentication, inspection: inspection)
        do {
            try await SessionError.translating {
                try await Connector(
                    settings: core.connectionSettings, route: route.connection, startTLS: startTLS
                ).connect(delegate: decisions).channel.close(promise: nil)
            }
        } catch {
            try Task.checkCancellation()
            guard inspection.decisions?.facts.verdict != nil else { throw error }
        }
        guard let decisions = inspection.decisions, let chain = decisions.facts.chain,
            let verdict = decisions.facts.verdict
        else { throw SessionError.trust(.malformedCertificate(.origin(url.endpoint))) }
        return ServerTrust(of: url.endpoint, chain, verdict, decisions.record.facts)
    }

    /// Fetches a server's chain and evaluates it under the session's policy.
    ///
    /// - Parameter url: An absolute `https` URL; only its host and port are used.
    /// - Returns: The chain and its verdict, as of ``inspect(_:startTLS:at:)``.
    /// - Throws: Any error that ``inspect(_:startTLS:at:)`` throws.
    public func inspect(_ url: URL) async throws -> ServerTrust { try await inspect(url.absoluteString) }
}
