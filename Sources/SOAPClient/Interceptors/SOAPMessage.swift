// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// A message as it goes out or came in.
public struct SOAPMessage: Sendable {
    /// The envelope's bytes; UTF-8 in a request.
    public var envelope: [UInt8]
    /// The header fields of HTTP.
    public var headerFields: HTTPFields
    /// The attachments of the message.
    public var attachments: [XMLAttachment]
    /// The status of a response; `nil` in a request.
    public let status: HTTPResponse.Status?

    /// A message by its parts.
    public init(
        envelope: [UInt8], headerFields: HTTPFields = [:], attachments: [XMLAttachment] = [],
        status: HTTPResponse.Status? = nil
    ) {
        (self.envelope, self.headerFields) = (envelope, headerFields)
        (self.attachments, self.status) = (attachments, status)
    }

    /// The envelope as text; what is no UTF-8 is replaced.
    public var text: String { String(decoding: envelope, as: UTF8.self) }
}

/// The call that a message belongs to.
public struct SOAPCall: Hashable, Sendable {
    /// The operation's name.
    public let operation: String
    /// Its action.
    public let action: String
    /// The URL of the request.
    public let endpoint: String
    /// The version of SOAP.
    public let version: SOAPVersion
    /// The identifier of WS-Addressing; `nil` without it.
    public let messageID: String?

    /// A call by its parts.
    public init(operation: String, action: String, endpoint: String, version: SOAPVersion, messageID: String? = nil) {
        (self.operation, self.action, self.endpoint) = (operation, action, endpoint)
        (self.version, self.messageID) = (version, messageID)
    }
}
