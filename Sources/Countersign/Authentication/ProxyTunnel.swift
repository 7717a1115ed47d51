// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import HTTPTypes
import NIOConcurrencyHelpers

/// Asks a proxy for a tunnel to an origin (RFC 9110 section 9.3.6), answering its challenges on the same connection.
struct ProxyTunnel {
    let core: SessionCore
    let proxy: Proxy
    let target: Endpoint

    /// Opens the tunnel and returns the credential that opened it; afterwards the connection's bytes are the origin's.
    ///
    /// Throws ``ReconnectRequired`` where the proxy closed the connection with its challenge, so that the answer needs another one.
    func open(over connection: HTTPConnection, rounds: AuthenticationRounds) async throws -> Credential? {
        var hasBeenChallenged = false
        while true {
            var request = HTTPRequest(method: .connect, scheme: nil, authority: target.description, path: nil)
            request.headerFields[.proxyAuthorization] = try await rounds.authorization(
                for: RequestFacts(
                    method: "CONNECT", target: target.description, host: proxy.endpoint.host.description,
                    channelBinding: connection.channelBinding), over: nil)
            let isReusable = NIOLockedValueBox(false)
            let watch = ExchangeWatch(request, to: nil, body: nil, over: connection, core: core)
            let response: HTTPExchange.Response
            do {
                response = try await ExchangeWatch.follow(watch) { [request] in
                    try await SessionError.translating {
                        try await connection.exchange(request) { reusable in
                            watch?.end()
                            isReusable.withLockedValue { $0 = reusable }
                        }
                    }
                }
            } catch SessionError.connectionLost where hasBeenChallenged {
                if rounds.progress == .exchanging { throw interruption(of: rounds) }
                // The proxy did not wait for as long as the answer took.
                throw ReconnectRequired()
            }
            if response.head.status.kind == .successful {
                // The tunnel's bytes are no body.
                watch?.end()
                do {
                    try await connection.detach()
                } catch {
                    throw SessionError.connectionLost(.proxy(proxy.endpoint), .proxyTunnel)
                }
                try rounds.accept(response.head.headerFields)
                return rounds.acceptedCredential
            }
            guard response.head.status == .proxyAuthenticationRequired else {
                throw SessionError.proxyRefused(proxy.endpoint, response.head.status.code)
            }
            try await ResponseBody(response.body).discard(upTo: ResponseBody.challengeLimit)
            guard try await rounds.receive(response.head.headerFields) else {
                throw rounds.refusal
            }
            guard isReusable.withLockedValue({ $0 }), rounds.progress != .refused else {
                throw rounds.progress == .exchanging ? interruption(of: rounds) : ReconnectRequired()
            }
            hasBeenChallenged = true
        }
    }

    private func interruption(of rounds: AuthenticationRounds) -> any Error {
        rounds.binding.map { SessionError.authenticationInterrupted($0.space) } ?? ReconnectRequired()
    }
}
