// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Tracing

/// A span for each time that a request is sent: once, and again for each redirect and each retry; answers to challenges are part of it.
///
/// The names are those of OpenTelemetry's semantic conventions for HTTP clients, 1.23 and later.
extension Journey {
    func traced(by tracer: any Tracer) async throws -> Answer {
        let span = tracer.startSpan(request.method.rawValue, ofKind: .client)
        defer { span.end() }
        span.updateAttributes(describe)
        var request = request
        tracer.inject(span.context, into: &request.headerFields, using: FieldInjector())
        let traced = request
        do {
            let answer = try await ServiceContext.withValue(span.context) { try await exchange(traced) }
            span.updateAttributes { $0.describe(answer.response) }
            if answer.response.status.code >= 400 { span.setStatus(SpanStatus(code: .error)) }
            return answer
        } catch {
            span.updateAttributes { $0["error.type"] = SpanAttribute.string(SessionError.kind(of: error)) }
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }

    private func describe(in attributes: inout SpanAttributes) {
        attributes["http.request.method"] = SpanAttribute.string(request.method.rawValue)
        attributes["url.full"] = SpanAttribute.string(Redaction.hidingQueryValues(url.description))
        attributes["server.address"] = SpanAttribute.string(url.endpoint.host.description)
        attributes["server.port"] = SpanAttribute.int64(Int64(url.endpoint.port))
        if resendCount > 0 { attributes["http.request.resend_count"] = SpanAttribute.int64(Int64(resendCount)) }
    }
}

extension SpanAttributes {
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
