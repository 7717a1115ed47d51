// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Delivers bodies without the codings that were applied for their transfer (RFC 9110 section 8.4).
struct ContentDecodingStage: RequestStage {
    let limit: ExpansionLimit

    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        var outcome = try await next(request)
        outcome.response = try outcome.response.decoded(for: request.request, limit: limit)
        return outcome
    }
}
