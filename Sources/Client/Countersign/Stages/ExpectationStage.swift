// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

/// Sends a request again without `Expect: 100-continue`, if the server refuses the expectation (417, RFC 9110 section
/// 10.1.1).
///
/// With that field, a body waits until the server requests it by 100 (Continue), so that the server can challenge,
/// redirect or refuse the request before the body is sent. Such a request takes these steps:
///
/// 1. ``SessionRequest/expectsContinue`` decides whether the body waits, and ``Transaction/announceBody(isSent:in:over:)``
///    adds the field.
/// 2. The transport sends the head, and starts a task that sends the body after the first of these events
///    (`HTTPExchange`): a 100, the end of ``HTTPSession/Configuration/continueTimeout``, or the first part of a successful
///    response. A complete response, or one with another status, ends the task, and the body is not sent
///    (`ExchangeStateMachine`).
/// 3. A challenge or a redirect is handled as for every request. A 417 is handled here.
///
/// ``AuthenticationStage`` adds the stage to the requests that need it.
struct ExpectationStage: RequestStage {
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        let outcome = try await next(request)
        guard outcome.response.status == .expectationFailed, let transaction = request.transaction,
            transaction.expectsContinue, transaction.request.body?.isAvailable == true
        else { return outcome }
        transaction.expectsContinue = false
        try await transaction.prepareResend(after: outcome.response)
        return try await next(request)
    }
}

extension SessionRequest {
    /// The maximum size of a repeatable body that is sent without waiting, in bytes.
    private static let immediateBodyLimit = 1 << 20

    /// Whether the body waits for the server's decision.
    var expectsContinue: Bool {
        guard let body else { return false }
        return body.isOneShot || (body.length ?? .max) > Self.immediateBodyLimit || explicitFields.expectsContinue
    }
}

extension Transaction {
    /// Adds the field `Expect` if the body waits for the server's 100, and removes it otherwise.
    ///
    /// Over HTTP/2, a repeatable body is sent without waiting, unless the request itself has the field: a server that
    /// refuses the body resets the stream, and the connection stays open. Many servers never send a 100 over HTTP/2.
    ///
    /// - Parameters:
    ///   - isSent: Whether the body is sent with this request, and not withheld.
    ///   - fields: The header fields of the request.
    ///   - connection: The connection for the request.
    /// - Returns: Whether the body waits, for at most ``HTTPSession/Configuration/continueTimeout``.
    @inline(never)
    func announceBody(
        isSent: Bool, in fields: inout HTTPFields, over connection: HTTPConnection
    ) -> Bool {
        guard expectsContinue, isSent,
            request.body?.isOneShot == true || !connection.isMultiplexed || request.explicitFields.expectsContinue
        else {
            // There is no body that could wait for a 100 (RFC 9110 section 10.1.1).
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
