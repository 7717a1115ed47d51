// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes
import Logging
import NIOConcurrencyHelpers
import Secrets

/// Watches one exchange, and reports it when its body has ended; the end may come before the caller has the head.
final class ExchangeRecorder: Sendable {
    private struct Progress {
        var head: HTTPResponse?
        var responded: ContinuousClock.Instant?
        var end: ContinuousClock.Instant?
        var isReported = false
    }

    private let core: SessionCore
    private let request: HTTPRequest
    /// `nil` where a proxy is asked for a tunnel.
    private let url: HTTPURL?
    private let bodyLength: Int?
    private let connection: ConnectionReport
    private let isConnectionReused: Bool
    private let start = ContinuousClock.now
    private let progress = NIOLockedValueBox(Progress())

    /// Begins to watch an exchange.
    ///
    /// - Returns: `nil` where neither an observer nor a log wants the report.
    static func watch(
        _ request: HTTPRequest, to url: HTTPURL?, body: RequestBody?, over connection: HTTPConnection, core: SessionCore
    ) -> ExchangeRecorder? {
        // An initializer that fails would make the object first.
        let isLogged = core.configuration.logger.map { $0.logLevel <= .debug } ?? false
        guard core.configuration.observer != nil || isLogged else { return nil }
        return ExchangeRecorder(request, to: url, body: body, over: connection, core: core)
    }

    private init(
        _ request: HTTPRequest, to url: HTTPURL?, body: RequestBody?, over connection: HTTPConnection, core: SessionCore
    ) {
        self.core = core
        self.request = request
        self.url = url
        bodyLength = body.map(\.length) ?? 0
        self.connection = connection.report
        isConnectionReused = connection.record.facts.hasServed
    }

    /// The head of the response has come.
    func respond(_ head: HTTPResponse) {
        report { progress in
            (progress.head, progress.responded) = (head, .now)
            return progress.end != nil
        }
    }

    /// The body has ended; the head may not have arrived at the caller yet.
    func end() {
        report { progress in
            progress.end = progress.end ?? .now
            return progress.head != nil
        }
    }

    /// No head came.
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
        core.report(.exchanged(report(complete, failure)))
    }

    private func report(_ progress: Progress, _ failure: (any Error)?) -> ExchangeReport {
        ExchangeReport(
            method: request.method, url: url?.redacted ?? request.authority ?? "",
            wholeURL: Secret(url?.description ?? request.authority ?? ""),
            headerFields: Redaction.fields(request.headerFields), bodyLength: bodyLength,
            response: progress.head.map {
                .init(status: $0.status, headerFields: Redaction.fields($0.headerFields))
            },
            failure: failure, connection: connection, isConnectionReused: isConnectionReused, start: start,
            responded: progress.responded, end: progress.end ?? .now)
    }
}
