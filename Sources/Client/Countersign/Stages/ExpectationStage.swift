// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

/// Sends a request again without `Expect: 100-continue`, if its server refuses the expectation (417, RFC 9110 section 10.1.1).
///
/// With that field a body waits until the server asks for it by 100 (Continue), so that the server can challenge, redirect or refuse the
/// request before the body is sent. The whole way of such a body:
///
/// 1. ``Request/expectsContinue`` decides whether the body waits, and ``Transaction/announceBody(isSent:in:over:)`` adds the field.
/// 2. The transport sends the head, and starts a task that sends the body with the first of these events (`HTTPExchange`): a 100, the end of
///    ``Session/Configuration/continueTimeout``, or the first part of a response of success. A complete response, or one of another status,
///    ends the task, and the body stays unsent (`ExchangeStateMachine`).
/// 3. A challenge or a redirect is answered as for every request. A 417 is answered here.
///
/// ``AuthenticationStage`` adds the stage to the requests that need it.
struct ExpectationStage: RequestStage {
    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        let outcome = try await next(request)
        guard outcome.response.status == .expectationFailed, let transaction = request.transaction,
            transaction.expectsContinue, transaction.request.body?.isAvailable == true
        else { return outcome }
        transaction.expectsContinue = false
        try await transaction.prepareResend(after: outcome.response)
        return try await next(request)
    }
}

extension Request {
    /// The size up to which a body that can be sent again is sent at once, in bytes.
    private static let immediateBodyLimit = 1 << 20

    /// Whether the server is to decide before the body is sent.
    var expectsContinue: Bool {
        guard let body else { return false }
        return body.isOneShot || (body.length ?? .max) > Self.immediateBodyLimit || headerFields.expectsContinue
    }
}

extension Transaction {
    /// Adds the field `Expect` if the body waits for the server's 100, and removes it otherwise.
    ///
    /// Over HTTP/2 a body that can be sent again is sent at once, unless the request itself has the field: a server that refuses it resets
    /// the stream, and the connection stays. Many servers never send a 100 there.
    ///
    /// - Parameters:
    ///   - isSent: Whether the body goes with this request, and is not withheld.
    ///   - fields: The header fields of the request.
    ///   - connection: The connection that the request goes over.
    /// - Returns: Whether the body waits, for at most ``Session/Configuration/continueTimeout``.
    @inline(never)
    func announceBody(
        isSent: Bool, in fields: inout HTTPFields, over connection: HTTPConnection
    ) -> Bool {
        guard expectsContinue, isSent,
            request.body?.isOneShot == true || !connection.isMultiplexed || request.headerFields.expectsContinue
        else {
            // Nothing is sent that could wait for the server's word (RFC 9110 section 10.1.1).
            if fields.expectsContinue { fields[.expect] = nil }
            return false
        }
        fields[.expect] = "100-continue"
        return true
    }
}

extension HTTPFields {
    fileprivate var expectsContinue: Bool { self[.expect]?.lowercased() == "100-continue" }
}
