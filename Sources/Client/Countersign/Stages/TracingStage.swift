// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes
import Tracing

/// A span for each time that a request is sent: once, and again for each redirect and each retry; answers to challenges are part of it.
///
/// The names are those of OpenTelemetry's semantic conventions for HTTP clients, 1.23 and later.
struct TracingStage: RequestStage {
    let tracer: any Tracer

    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        let span = tracer.startSpan(request.request.method.rawValue, ofKind: .client)
        defer { span.end() }
        span.updateAttributes { $0.describe(request) }
        var traced = request
        tracer.inject(span.context, into: &traced.request.headerFields, using: FieldInjector())
        do {
            let outcome = try await ServiceContext.withValue(span.context) { [traced] in try await next(traced) }
            span.updateAttributes { $0.describe(outcome.response) }
            if outcome.response.status.code >= 400 { span.setStatus(SpanStatus(code: .error)) }
            return outcome
        } catch {
            span.updateAttributes { $0["error.type"] = SpanAttribute.string(ErrorExplanation.code(of: error)) }
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

extension SpanAttributes {
    fileprivate mutating func describe(_ request: PipelineRequest) {
        let (url, resends) = (request.url, request.context.resendCount)
        self["http.request.method"] = SpanAttribute.string(request.request.method.rawValue)
        self["url.full"] = SpanAttribute.string(Redaction.hidingQueryValues(url.description))
        self["server.address"] = SpanAttribute.string(url.endpoint.host.description)
        self["server.port"] = SpanAttribute.int64(Int64(url.endpoint.port))
        if resends > 0 { self["http.request.resend_count"] = SpanAttribute.int64(Int64(resends)) }
    }

    fileprivate mutating func describe(_ response: Response) {
        let code = response.status.code
        self["http.response.status_code"] = SpanAttribute.int64(Int64(code))
        self["network.protocol.version"] = SpanAttribute.string(response.connection.httpVersion == .http2 ? "2" : "1.1")
        if code >= 400 { self["error.type"] = SpanAttribute.string("\(code)") }
    }
}

/// Writes what a tracer wants the server to know.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}
