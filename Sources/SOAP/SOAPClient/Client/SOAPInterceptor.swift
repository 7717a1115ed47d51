// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import Logging

/// Sees and changes the messages of a client.
///
/// Requests pass a client's interceptors in their order, responses in the opposite one. Each method has a default that does nothing.
public protocol SOAPInterceptor: Sendable {
    /// Changes a request before it is signed.
    ///
    /// - Throws: Any error. The call throws it, and nothing is sent.
    func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws

    /// Sees a request as it is sent, after it was signed.
    func sending(_ request: SOAPMessage, for call: SOAPCall) async

    /// Sees or changes a response as it was received, before it is verified and read.
    ///
    /// - Throws: Any error. The call throws it.
    func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws
}

extension SOAPInterceptor {
    /// Changes nothing, and never throws.
    public func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws {}

    /// Does nothing.
    public func sending(_ request: SOAPMessage, for call: SOAPCall) async {}

    /// Changes nothing, and never throws.
    public func received(_ response: inout SOAPMessage, for call: SOAPCall) async throws {}
}

/// A request or a response, as an interceptor sees it.
public struct SOAPMessage: Sendable {
    /// The envelope; in UTF-8 in a request.
    public var envelope: [UInt8]
    /// The header fields of the HTTP message.
    public var headerFields: HTTPFields
    /// The attachments, in their order; none where the message is an envelope alone.
    public var attachments: [XMLAttachment]
    /// The status code of an HTTP response; `nil` in a request.
    public let status: HTTPResponse.Status?

    /// Creates a message from its parts.
    public init(
        envelope: [UInt8], headerFields: HTTPFields = [:], attachments: [XMLAttachment] = [],
        status: HTTPResponse.Status? = nil
    ) {
        (self.envelope, self.headerFields) = (envelope, headerFields)
        (self.attachments, self.status) = (attachments, status)
    }

    /// The envelope as text; bytes that are not UTF-8 are replaced by U+FFFD.
    public var text: String { String(decoding: envelope, as: UTF8.self) }
}

/// The call that a message belongs to.
public struct SOAPCall: Hashable, Sendable {
    /// The operation's name.
    public let operation: String
    /// The operation's action; empty for none.
    public let action: String
    /// The URL of the request.
    public let endpoint: String
    /// The version of SOAP.
    public let version: SOAPVersion
    /// The value of the header `MessageID` of WS-Addressing; `nil` without WS-Addressing.
    public let messageID: String?

    /// Creates a call from its parts.
    public init(operation: String, action: String, endpoint: String, version: SOAPVersion, messageID: String? = nil) {
        (self.operation, self.action, self.endpoint) = (operation, action, endpoint)
        (self.version, self.messageID) = (version, messageID)
    }
}

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
