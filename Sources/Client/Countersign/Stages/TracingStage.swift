// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Tracing

/// Makes a span each time a request is sent: for the request itself, each redirect and each retry.
///
/// Answers to challenges belong to the same span.
///
/// The names follow OpenTelemetry's semantic conventions for HTTP clients, 1.23 and later.
struct TracingStage: RequestStage {
    let tracer: any Tracer

    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        let span = tracer.startSpan(request.request.method.spanName, ofKind: .client)
        defer { span.end() }
        span.updateAttributes { $0.describe(request) }
        var traced = request
        tracer.inject(span.context, into: &traced.request.explicitFields, using: FieldInjector())
        do {
            let outcome = try await ServiceContext.withValue(span.context) { [traced] in try await next(traced) }
            span.end(with: AttemptAttributes(of: outcome.response, to: request.request.method))
            return outcome
        } catch {
            span.end(with: AttemptAttributes(of: error, to: request.request.method))
            throw error
        }
    }
}

/// Measures each attempt at a request, as ``TracingStage`` distinguishes them.
struct MeasuringStage: RequestStage {
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        let (start, metrics, endpoint) = (ContinuousClock.now, request.context.core.metrics, request.url.endpoint)
        do {
            let outcome = try await next(request)
            let attributes = AttemptAttributes(of: outcome.response, to: request.request.method)
            metrics?.record(attributes, at: endpoint, ContinuousClock.now - start)
            return outcome
        } catch {
            metrics?.record(
                AttemptAttributes(of: error, to: request.request.method), at: endpoint, ContinuousClock.now - start)
            throw error
        }
    }
}

extension Span {
    fileprivate func end(with outcome: AttemptAttributes) {
        updateAttributes { attributes in
            for (name, value) in outcome.list {
                attributes[name] =
                    switch value {
                    case .text(let text): SpanAttribute.string(text)
                    case .number(let number): SpanAttribute.int64(Int64(number))
                    }
            }
        }
        if outcome.isFailed { setStatus(SpanStatus(code: .error)) }
    }
}

extension SpanAttributes {
    fileprivate mutating func describe(_ request: PipelineRequest) {
        let (url, context, method) = (request.url, request.context, request.request.method)
        // Samplers decide by the attributes that a span has at its start.
        self["http.request.method"] = SpanAttribute.string(method.conventionalName)
        if method.conventionalName != method.rawValue {
            self["http.request.method_original"] = SpanAttribute.string(method.rawValue)
        }
        self["url.full"] = SpanAttribute.string(Redaction.hidingQueryValues(url.description))
        self["server.address"] = SpanAttribute.string(url.endpoint.host.description)
        self["server.port"] = SpanAttribute.int64(Int64(url.endpoint.port))
        let reporter = context.reporter
        if reporter.attempt > 1 {
            self["http.request.resend_count"] = SpanAttribute.int64(Int64(reporter.attempt - 1))
        }
        self[RequestIdentifier.attributeName] = SpanAttribute.string(reporter.requestIdentifier.description)
        self[RequestIdentifier.attemptAttributeName] = SpanAttribute.int64(Int64(reporter.attempt))
    }
}

/// Writes the tracing context into header fields for the server.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}
