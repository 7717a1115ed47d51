// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore
import TLSTransport

/// Client certificate requests after the handshake, and refused client certificates.
extension Transaction {
    /// Returns the selection of an identity for a server that requests one while it processes the request (RFC 5746,
    /// RFC 8446 section 4.6.2).
    func identitySelection(for connection: HTTPConnection) -> HTTPExchange.IdentitySelection {
        { [reporter = context.reporter] request in
            let request = ClientCertificateRequest(request)
            let credential = try await reporter.chooseIdentity(for: request, at: connection.failure.peer)
            connection.noteIdentity(credential, for: request)
            return try credential?.identity.map(TLSIdentity.init)
        }
    }

    /// Forgets the identity that a server has refused.
    ///
    /// - Returns: The error with the certificate that was presented.
    func refusal(by peer: SessionError.Peer, _ request: ClientCertificateRequest, _ alert: TLSAlert?) -> SessionError {
        let space = ProtectionSpace.clientCertificate(at: peer)
        let refused = core.memory.identity(in: space)
        if let refused { core.memory.forget(refused, in: space) }
        return .tls(
            .clientCertificateRefused(peer, request, presented: refused?.identityCertificate, alert: alert))
    }

    /// Returns the error for a server that needs to request a client certificate after the TLS 1.3 handshake.
    ///
    /// BoringSSL never offers post-handshake authentication (RFC 8446 section 4.6.2), nor OpenSSL beside HTTP/2, so a
    /// server that needs it for one directory can only respond with 403. Apache 2.4 states the reason in the page, and
    /// only this sentence distinguishes the response from any other 403.
    ///
    /// - Parameter response: A response with status 403, whose page can still be read afterwards.
    /// - Returns: ``SessionError`` of ``TLSError/postHandshakeAuthenticationRequired(_:)``; `nil` for any other 403.
    /// - Throws: An error of reading the page.
    func postHandshakeRefusal(_ response: inout SessionResponse) async throws -> SessionError? {
        guard response.connection.tls?.version == "TLSv1.3",
            let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length <= Self.pageLimit
        else { return nil }
        let page = try await response.body.collect(upTo: Self.pageLimit)
        response = response.replacingBody(with: page)
        return try await Self.isPostHandshakeRefusal(response.replacingBody(with: page))
            ? .tls(.postHandshakeAuthenticationRequired(url.endpoint)) : nil
    }

    /// Sends the request again, once, so that the server can request a client certificate: with OpenSSL over HTTP/1.1
    /// alone, with which it offers post-handshake authentication, and otherwise over TLS 1.2.
    ///
    /// The server has refused the request before processing it, so any method may be repeated.
    ///
    /// - Throws: The refusal if the request, the session or the server does not allow that.
    func sendAgain(
        _ fields: HTTPFields, after refusal: SessionError, by library: TLSLibrary?
    ) async throws -> SessionResponse {
        let needsHTTP1 = library == .openSSL && route.connection.httpVersions == .all
        guard needsHTTP1 || route.connection.originTLS?.versions == .all, request.body?.isAvailable ?? true,
            context.takeRepeat()
        else { throw refusal }
        restart()
        if needsHTTP1 {
            try fallBackToHTTP1()
            return try await sendWithRepeats(fields)
        }
        route = try core.routes.route(
            to: url, overriding: request.trust, under: request.policies, onlyHTTP1: true, onlyTLS12: true)
        do {
            return try await sendWithRepeats(fields)
        } catch SessionError.tls(.alertReceived(_, .protocolVersion, _)) {
            throw refusal
        }
    }

    private static let pageLimit = 16 * 1024
    private static let sentence = "Reason: Cannot perform Post-Handshake Authentication."

    private static func isPostHandshakeRefusal(_ response: SessionResponse) async throws -> Bool {
        do {
            let page = try response.decoded(limit: ExpansionLimit(ratio: 1, allowance: pageLimit)).body
            return String(buffer: try await page.collect(upTo: pageLimit)).contains(sentence)
        } catch is SessionError {
            // The caller gets the same error when reading the page.
            return false
        }
    }
}
