// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
public import Logging

/// Logs each request as it is sent, and each response as it was received.
///
/// Secrets in envelopes are hidden (``SOAPRedaction``), and so are credentials in header fields. Of attachments only the number is logged.
public struct SOAPLogging: SOAPInterceptor {
    private let logger: Logger
    private let level: Logger.Level
    private let redaction: SOAPRedaction

    /// Creates an interceptor that logs.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: The level of its entries; `debug` by default.
    ///   - redaction: The parts of messages that are hidden; by default, those that ``SOAPRedaction`` always hides.
    public init(_ logger: Logger, level: Logger.Level = .debug, redaction: SOAPRedaction = SOAPRedaction()) {
        (self.logger, self.level, self.redaction) = (logger, level, redaction)
    }

    /// Logs a request.
    public func sending(_ request: SOAPMessage, for call: SOAPCall) async {
        log("SOAP request", request, call)
    }

    /// Logs a response, changes nothing, and never throws.
    public func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {
        log("SOAP response", response, call)
    }

    private func log(_ title: String, _ message: SOAPMessage, _ call: SOAPCall) {
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "operation": "\(call.operation)", "endpoint": "\(Redaction.url(call.endpoint))",
            "fields": .array(
                Redaction.fields(message.headerFields).map { "\($0.name.rawName): \($0.value)" }),
            "envelope": "\(redaction.text(of: message.envelope))",
        ]
        if let status = message.status { metadata["status"] = "\(status.code)" }
        if !message.attachments.isEmpty { metadata["attachments"] = "\(message.attachments.count)" }
        logger.log(level: level, "\(title)", metadata: metadata)
    }
}
