// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A part of the pipeline with one purpose.
protocol RequestStage: Sendable {
    /// Handles a request and its response.
    ///
    /// - Throws: ``SessionError``, `CancellationError`, and what a handler throws.
    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse
}

/// The rest of the pipeline.
typealias NextStage = @Sendable (PipelineRequest) async throws -> PipelineResponse
