// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// Sends a request again where the retry policy says so: after a failure, or a status such as 503.
struct RetryStage: RequestStage {
    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        while true {
            do {
                let outcome = try await next(request)
                let response = outcome.response
                let wish = RetryAfter(response.headerFields, now: .secondsSince1970)?.wait
                guard let delay = delay(after: .responded(response.status, retryAfter: wish), of: request) else {
                    return outcome
                }
                try await response.body.discard()
                try await pause(delay, before: request, because: .status(response.status))
            } catch let error as SessionError {
                guard let delay = delay(after: .failed(error), of: request) else { throw error }
                try await pause(delay, before: request, because: .failure(error))
            }
        }
    }

    private func delay(after outcome: RetrySchedule.Outcome, of request: PipelineRequest) -> Duration? {
        guard let delay = request.context.retryDelay(after: outcome, of: request.request) else { return nil }
        // The response or the error in hand tells the caller more than a time-out would.
        if let deadline = request.context.deadline, NIODeadline.now() + TimeAmount(delay) >= deadline { return nil }
        return delay
    }

    private func pause(_ delay: Duration, before request: PipelineRequest, because reason: RetryReason) async throws {
        request.context.core.report(.retrying(request.url.description, after: delay, reason))
        try await Task.sleep(for: delay)
        request.context.noteResend()
    }
}
