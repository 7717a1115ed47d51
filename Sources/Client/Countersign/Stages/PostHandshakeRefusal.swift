// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// Recognises a server that wanted a client certificate after the handshake of TLS 1.3.
///
/// BoringSSL does not offer post-handshake authentication (RFC 8446 section 4.6.2), so a server that needs it for one
/// directory can only answer 403. Apache (2.4) says why in the page; nothing else tells it from any other 403.
struct PostHandshakeRefusal {
    private static let pageLimit = 16 * 1024
    private static let reason = "Post-Handshake Authentication"

    let endpoint: Endpoint

    /// - Returns: The response, its page still to be read.
    /// - Throws: ``SessionError`` of ``TLSError/postHandshakeAuthenticationRequired(_:)``.
    func check(_ response: Response) async throws -> Response {
        guard response.status == .forbidden, response.connection.tls?.version == "TLSv1.3",
            let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length <= Self.pageLimit
        else { return response }
        let page = try await response.body.collect(upTo: Self.pageLimit)
        let whole = response.replacingBody(with: page)
        guard try await !givesReason(whole) else {
            throw SessionError.tls(.postHandshakeAuthenticationRequired(endpoint))
        }
        return whole
    }

    private func givesReason(_ response: Response) async throws -> Bool {
        do {
            let page = try response.decoded(limit: ExpansionLimit(ratio: 1, allowance: Self.pageLimit)).body
            return String(buffer: try await page.collect(upTo: Self.pageLimit)).contains(Self.reason)
        } catch is SessionError {
            // The reader of the page gets the same error.
            return false
        }
    }
}
