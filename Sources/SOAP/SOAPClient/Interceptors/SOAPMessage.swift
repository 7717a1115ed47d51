// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

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
