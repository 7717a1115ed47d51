// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOCore

/// Client certificate requests after the handshake.
extension Transaction {
    /// Finds an identity if the server interrupted the request to ask for a client certificate, and forgets an identity
    /// that the server refused.
    ///
    /// - Throws: The failure if the request must not be sent again;
    ///   ``SessionError`` of ``TLSError/clientCertificateRequired(_:_:)`` if there is no identity.
    func findIdentity(after failure: any Error) async throws {
        switch failure {
        case SessionError.tls(.renegotiationRequired(let peer)) where preemptiveIdentity == nil && peer.role == .origin:
            guard let trust = route.connection.originTLS?.trust else { throw failure }
            let decisions = HandshakeDecisions(reporter: context.reporter, peer: peer, policy: trust)
            // NIOSSL does not expose the renegotiated CertificateRequest, so its issuers are unknown.
            let request = ClientCertificateRequest(acceptableIssuers: nil)
            preemptiveIdentity = try await decisions.chooseIdentity(for: request)
            guard preemptiveIdentity != nil else { throw SessionError.tls(.clientCertificateRequired(peer, request)) }
            restart()
            try self.request.requireRepeatableBody(for: url)
        case SessionError.tls(.clientCertificateRefused(let peer, let request, presented: _, let alert)):
            let space = ProtectionSpace.clientCertificate(at: peer)
            let refused = core.memory.identity(in: space)
            if let refused { core.memory.forget(refused, in: space) }
            let presented = refused?.identity.map { CertificateSummary($0.certificate) }
            throw SessionError.tls(.clientCertificateRefused(peer, request, presented: presented, alert: alert))
        default: throw failure
        }
    }

    /// Detects a server that requested a client certificate after the TLS 1.3 handshake.
    ///
    /// BoringSSL does not offer post-handshake authentication (RFC 8446 section 4.6.2), so a server that needs it for
    /// one directory can only respond with 403. Apache 2.4 states the reason in the page, and only this text
    /// distinguishes the response from any other 403.
    ///
    /// - Parameter response: A response with status 403.
    /// - Returns: The response, whose page can still be read.
    /// - Throws: ``SessionError`` of ``TLSError/postHandshakeAuthenticationRequired(_:)``.
    func checkPostHandshakeRefusal(_ response: SessionResponse) async throws -> SessionResponse {
        guard response.connection.tls?.version == "TLSv1.3",
            let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length <= Self.pageLimit
        else { return response }
        let page = try await response.body.collect(upTo: Self.pageLimit)
        guard try await !Self.isPostHandshakeRefusal(response.replacingBody(with: page)) else {
            throw SessionError.tls(.postHandshakeAuthenticationRequired(url.endpoint))
        }
        return response.replacingBody(with: page)
    }

    private static let pageLimit = 16 * 1024

    private static func isPostHandshakeRefusal(_ response: SessionResponse) async throws -> Bool {
        do {
            let page = try response.decoded(limit: ExpansionLimit(ratio: 1, allowance: pageLimit)).body
            return String(buffer: try await page.collect(upTo: pageLimit)).contains("Post-Handshake Authentication")
        } catch is SessionError {
            // The caller gets the same error when reading the page.
            return false
        }
    }
}
