// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes
import Logging
import NIOConcurrencyHelpers
import Secrets

/// Observes one exchange, and reports it when its body has ended, which may happen before the caller receives the head.
final class ExchangeRecorder: Sendable {
    private struct Progress {
        var head: HTTPResponse?
        var responded: ContinuousClock.Instant?
        var end: ContinuousClock.Instant?
        var isReported = false
    }

    private let reporter: EventReporter
    private let request: HTTPRequest
    /// The URL of the request; `nil` for a CONNECT request to a proxy.
    private let url: HTTPURL?
    private let bodyLength: Int?
    private let httpVersion: ConnectionReport.HTTPVersion
    private let connection: SharedReport
    private let isConnectionReused: Bool
    private let start = ContinuousClock.now
    private let progress = NIOLockedValueBox(Progress())

    /// Starts observing an exchange.
    ///
    /// - Returns: `nil` if there is neither an observer nor a debug log to receive the report.
    static func watch(
        _ request: HTTPRequest, to url: HTTPURL?, isAbsoluteForm: Bool = false, body: SessionRequestBody?,
        over connection: HTTPConnection, _ context: RequestContext
    ) -> ExchangeRecorder? {
        // A failable initializer would allocate the object before it fails.
        let configuration = context.core.configuration
        let isLogged = configuration.logger.map { $0.logLevel <= .debug } ?? false
        guard configuration.observer != nil || isLogged else { return nil }
        let recorder = ExchangeRecorder(request, to: url, body: body, over: connection, context.reporter)
        context.reporter.reportHead(.sending(recorder.head(isAbsoluteForm: isAbsoluteForm, hasBody: body != nil)))
        return recorder
    }

    private init(
        _ request: HTTPRequest, to url: HTTPURL?, body: SessionRequestBody?, over connection: HTTPConnection,
        _ reporter: EventReporter
    ) {
        self.reporter = reporter
        self.request = request
        self.url = url
        bodyLength = body.map(\.length) ?? 0
        httpVersion = connection.isMultiplexed ? .http2 : .http1
        self.connection = connection.sharedReport
        isConnectionReused = connection.record.facts.hasServed
    }

    /// Returns the head of the request, with the fields that frame its body.
    private func head(isAbsoluteForm: Bool, hasBody: Bool) -> RequestHead {
        var request = request
        HTTPExchange.frame(&request, hasBody: hasBody, length: bodyLength, isChunked: httpVersion == .http1)
        return RequestHead(request, isAbsoluteForm: isAbsoluteForm, httpVersion)
    }

    /// Records the head of the response.
    func respond(_ head: HTTPResponse) {
        reporter.reportHead(.received(ResponseHead(head, httpVersion)))
        report { progress in
            (progress.head, progress.responded) = (head, .now)
            return progress.end != nil
        }
    }

    /// Records the end of the body, which may precede the delivery of the head to the caller.
    func end() {
        report { progress in
            progress.end = progress.end ?? .now
            return progress.head != nil
        }
    }

    /// Records that the exchange failed before a response head arrived.
    func fail(_ error: any Error) {
        report(because: error) { progress in
            progress.end = progress.end ?? .now
            return true
        }
    }

    private func report(because failure: (any Error)? = nil, once change: (inout Progress) -> Bool) {
        let complete = progress.withLockedValue { progress -> Progress? in
            guard !progress.isReported, change(&progress) else { return nil }
            progress.isReported = true
            return progress
        }
        guard let complete else { return }
        reporter.report(.exchanged(report(complete, failure)))
    }

    private func report(_ progress: Progress, _ failure: (any Error)?) -> ExchangeReport {
        let completeURL = url?.description ?? request.authority ?? ""
        let shownURL = url?.redacted ?? completeURL
        return ExchangeReport(
            method: request.method, url: shownURL,
            secretURL: shownURL == completeURL ? nil : Secret(completeURL),
            headerFields: Redaction.fields(request.headerFields), bodyLength: bodyLength,
            response: progress.head.map {
                .init(status: $0.status, headerFields: Redaction.fields($0.headerFields))
            },
            failure: failure, sharedConnection: connection, isConnectionReused: isConnectionReused, start: start,
            responded: progress.responded, end: progress.end ?? .now)
    }
}
