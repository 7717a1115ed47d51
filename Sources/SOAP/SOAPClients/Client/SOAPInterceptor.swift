// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import Logging

/// Reads and changes the messages of a client.
///
/// Requests pass a client's interceptors in order, responses in reverse order. Each method has a default implementation
/// that does nothing.
public protocol SOAPInterceptor: Sendable {
    /// Changes a request before it is signed.
    ///
    /// - Throws: Any error. The call rethrows it, and nothing is sent.
    func prepare(_ request: inout SOAPMessage, for call: SOAPCall) async throws

    /// Receives a copy of a signed request before it is sent.
    func sending(_ request: SOAPMessage, for call: SOAPCall) async

    /// Reads or changes a received response before it is verified and parsed.
    ///
    /// - Throws: Any error. The call rethrows it.
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

/// A request or a response, as passed to an interceptor.
public struct SOAPMessage: Sendable {
    /// The envelope; in a request, its encoding is UTF-8.
    public var envelope: [UInt8]
    /// The header fields of the HTTP message.
    public var headerFields: HTTPFields
    /// The attachments, in order; empty if the message consists only of an envelope.
    public var attachments: [XMLAttachment]
    /// The status code of an HTTP response; `nil` in a request.
    public let status: HTTPResponse.Status?

    /// Creates a message with an envelope, header fields, attachments and a status.
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

/// The call for which a message is sent or received.
public struct SOAPCall: Hashable, Sendable {
    /// The name of the operation.
    public let operation: String
    /// The action of the operation; empty for none.
    public let action: String
    /// The URL of the request.
    public let endpoint: String
    /// The SOAP version.
    public let version: SOAPVersion
    /// The value of the WS-Addressing header `MessageID`; `nil` without WS-Addressing.
    public let messageID: String?

    /// Creates a call with the properties of an operation and the endpoint.
    public init(operation: String, action: String, endpoint: String, version: SOAPVersion, messageID: String? = nil) {
        (self.operation, self.action, self.endpoint) = (operation, action, endpoint)
        (self.version, self.messageID) = (version, messageID)
    }
}

/// Logs each sent request and each received response.
///
/// Secrets in envelopes (``SOAPRedaction``) and credentials in header fields are hidden. Only the number of attachments
/// is logged.
public struct SOAPLogging: SOAPInterceptor {
    private let logger: Logger
    private let level: Logger.Level
    private let redaction: SOAPRedaction

    /// Creates a logging interceptor.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - level: The log level of the entries; `debug` by default.
    ///   - redaction: The parts of messages to hide; by default, only those that ``SOAPRedaction`` always hides.
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
