// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore

/// Answers the challenges of the origin and of the proxy, until a response is not a challenge that can be answered.
struct AuthenticationStage: RequestStage {
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        let transaction = try Transaction(request.message, request.context, deadline: request.deadline)
        var request = request
        request.transaction = transaction
        let response = try await transaction.perform { [request] in
            // Most requests expect no 100 (Continue), and skip the stage.
            guard transaction.expectsContinue else { return try await next(request).response }
            return try await Self.sendExpecting(request, next: next)
        }
        let acceptedMethod = transaction.originAuthentication.acceptedOwnMethod
        return PipelineResponse(response: response, acceptedMethod: acceptedMethod)
    }

    // A separate function, so that its variables do not enlarge the task frame of every request.
    @inline(never)
    private static func sendExpecting(_ request: PipelineRequest, next: @escaping NextStage) async throws
        -> SessionResponse
    {
        try await ExpectationStage().handle(request, next: next).response
    }
}

extension Transaction {
    /// Sends the request until a response is not a challenge that can be answered.
    fileprivate func perform(_ send: () async throws -> SessionResponse) async throws -> SessionResponse {
        var withheldCount = 0
        do {
            while true {
                var response = try await send()
                // The first message of an exchange is sent without the body; if the server accepts it as the complete
                // request, the body is missing.
                let wasSentWithoutBody = withholdsBody && !Self.challenges.contains(response.status)
                let needsResend = try await answerChallenge(of: &response)
                if wasSentWithoutBody { try countWithheldBody(&withheldCount) }
                guard needsResend || wasSentWithoutBody else {
                    settleLease(isDelivered: true)
                    if hasAccepted, response.status != .tooManyRequests, !response.status.isServerError {
                        await saveAccepted()
                    }
                    if response.status.kind == .clientError {
                        response.unansweredChallenge = originAuthentication.unansweredChallenge(
                            for: response.status, of: request)
                        response.sentCredential =
                            originAuthentication.sentCredential || request.explicitFields[.authorization] != nil
                    }
                    return response
                }
                try await prepareResend(after: response)
            }
        } catch {
            lease?.connection.channel.close(promise: nil)
            throw error
        }
    }

    private func countWithheldBody(_ count: inout Int) throws {
        count += 1
        if count > Self.withheldLimit, let interruption { throw interruption }
    }

    private var hasAccepted: Bool { originAuthentication.accepted != nil || proxyAuthentication?.accepted != nil }

    private func saveAccepted() async {
        await originAuthentication.saveAccepted()
        await proxyAuthentication?.saveAccepted()
    }

    /// The maximum number of first messages without a body that a server may accept as the complete request.
    private static let withheldLimit = 4

    private static let challenges: Set<HTTPResponse.Status> = [.unauthorized, .proxyAuthenticationRequired]

    /// Answers the challenge of a response, if it has one.
    ///
    /// - Returns: Whether the request must be sent again.
    private func answerChallenge(of response: inout SessionResponse) async throws -> Bool {
        switch response.status {
        case .proxyAuthenticationRequired where proxyAuthentication != nil && route.usesAbsoluteForm:
            originAuthentication.restart()
            if try await proxyAuthentication?.receive(response.headerFields) == true { return true }
            throw proxyAuthentication?.machine.refusal ?? SessionError.proxy(.authenticationRequired(url.endpoint, []))
        case .unauthorized where request.explicitFields[.authorization] == nil:
            try await accept(&response, isFromOrigin: false)
            return try await originAuthentication.receive(response.headerFields)
        default:
            try await accept(&response, isFromOrigin: true)
            return false
        }
    }

    /// The maximum size, in bytes, of a response body whose integrity is verified before delivery (`auth-int`).
    private static let checkedBodyLimit = 16 << 20

    /// Records that the forwarding proxy, and possibly the origin, let the request through.
    private func accept(_ response: inout SessionResponse, isFromOrigin: Bool) async throws {
        let fields = response.headerFields
        var body: [UInt8]?
        if isFromOrigin && originAuthentication.checksBody(with: fields)
            || forwardingAuthentication?.checksBody(with: fields) == true
        {
            let content = try await response.body.collect(upTo: Self.checkedBodyLimit)
            response = response.replacingBody(with: content)
            body = Array(content.readableBytesView)
        }
        // Through a tunnel, no part of the response comes from the proxy.
        if route.usesAbsoluteForm { try proxyAuthentication?.accept(fields, body: body) }
        if isFromOrigin { try originAuthentication.accept(fields, body: body) }
    }
}
