// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import HTTPTypes
import NIOConcurrencyHelpers

/// Requests a tunnel to an origin from a proxy (RFC 9110 section 9.3.6), and answers the proxy's challenges on the same
/// connection.
struct ProxyTunnel {
    let context: RequestContext
    let proxy: Proxy
    let target: HostEndpoint
    /// The proxy's request for a client certificate, if none was presented.
    let certificateRequest: ClientCertificateRequest?

    /// Opens the tunnel and returns the credential that the proxy accepted.
    ///
    /// Afterwards, the connection carries the origin's bytes.
    ///
    /// Throws `ReconnectRequired` if the proxy closed the connection after its challenge, so that the answer needs a
    /// new connection.
    func open(over connection: HTTPConnection, authentication: RequestAuthentication) async throws -> Credential? {
        var hasBeenChallenged = false
        let limits = HTTPExchange.Limits(response: Timeout(context.core.configuration.handshakeTimeout, .handshake))
        while true {
            var request = HTTPRequest(method: .connect, scheme: nil, authority: target.description, path: nil)
            request.headerFields[.proxyAuthorization] = try await authentication.authorization(
                for: RequestFacts(
                    method: "CONNECT", target: target.description, channelBinding: connection.channelBinding), over: nil
            )
            let isReusable = NIOLockedValueBox(false)
            let recorder = ExchangeRecorder.watch(request, to: nil, body: nil, over: connection, context)
            let response: HTTPExchange.Response
            do {
                response = try await connection.exchange(request, options: .init(limits: limits)) { reusable in
                    recorder?.end()
                    isReusable.withLockedValue { $0 = reusable }
                }
            } catch {
                let error = SessionError.translated(error)
                recorder?.fail(error)
                guard hasBeenChallenged, case SessionError.connection(.lost) = error else { throw error }
                if authentication.machine.progress == .exchanging { throw interruption(of: authentication) }
                // The proxy closed the connection before the answer was ready.
                throw ReconnectRequired()
            }
            recorder?.respond(response.head)
            if response.head.status.kind == .successful {
                // The bytes of the tunnel are not a body.
                recorder?.end()
                do {
                    try await connection.detach()
                } catch {
                    throw SessionError.connection(.lost(.proxy(proxy.endpoint), .proxyTunnel))
                }
                try authentication.accept(response.head.headerFields)
                return authentication.machine.acceptedCredential
            }
            guard response.head.status == .proxyAuthenticationRequired else {
                throw SessionError.proxy(
                    .refused(
                        proxy.endpoint, destination: target, status: response.head.status.code,
                        unansweredCertificateRequest: certificateRequest))
            }
            try await SessionResponseBody(response.body).discard(upTo: SessionResponseBody.challengeLimit)
            guard try await authentication.receive(response.head.headerFields) else {
                throw authentication.machine.refusal
            }
            guard isReusable.withLockedValue({ $0 }), authentication.machine.progress != .refused else {
                guard authentication.machine.progress == .exchanging else { throw ReconnectRequired() }
                throw interruption(of: authentication)
            }
            hasBeenChallenged = true
        }
    }

    private func interruption(of authentication: RequestAuthentication) -> any Error {
        authentication.binding.map { SessionError.authentication(.interrupted($0.space)) } ?? ReconnectRequired()
    }
}

/// The authentication to a proxy while a connection through it is opened: the answers to CONNECT challenges, and the
/// SOCKS login.
extension LeaseDecisions {
    func openTunnel(to target: HostEndpoint, over connection: HTTPConnection) async throws {
        let authentication = try requireProxyAuthentication()
        guard let server = route.proxy else { return }
        describe(connection, by: proxy)
        let request = proxy.flatMap { ConnectionReport.TLS($0) }?.unansweredCertificateRequest
        tunnel = try await ProxyTunnel(context: context, proxy: server, target: target, certificateRequest: request)
            .open(over: connection, authentication: authentication)
    }

    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool) {
        let authentication = try requireProxyAuthentication()
        let wasKnown = authentication.login != nil
        let credential = try await authentication.findLogin()
        guard case .password(let user, let password) = credential.kind else {
            throw SessionError.authentication(
                .unanswerableChallenge(
                    authentication.machine.challenger.socksSpace, .unsuitableCredential(.socksPassword)))
        }
        tunnel = credential
        return (SOCKSLogin(user: user, password: password), wasKnown)
    }

    func socksLoginAccepted() {
        proxyAuthentication?.acceptLogin()
    }

    func socksLoginRejected() async throws {
        tunnel = nil
        try await requireProxyAuthentication().rejectLogin()
    }

    private func requireProxyAuthentication() throws -> RequestAuthentication {
        guard let proxyAuthentication else { throw SessionError.cancelled(.sessionClosed) }
        return proxyAuthentication
    }
}
