// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// The response to a call.
public struct SOAPResponse<Output: XMLCodable>: Sendable {
    /// The value in the Body.
    public let output: Output
    /// The header blocks; with a verifier, only the verified ones.
    public let headers: [XMLElementValue]
    /// The attachments of the message, in order.
    ///
    /// With a verifier, only attachments that the envelope includes by XOP are verified.
    public let attachments: [XMLAttachment]
    /// The status code of the HTTP response.
    public let status: HTTPResponse.Status
    /// The header fields of the HTTP response.
    public let headerFields: HTTPFields

    /// Creates a response for tests.
    public init(
        output: Output, headers: [XMLElementValue] = [], attachments: [XMLAttachment] = [],
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) {
        (self.output, self.headers, self.attachments) = (output, headers, attachments)
        (self.status, self.headerFields) = (status, headerFields)
    }

    /// Returns the first header block with the given name as a value; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - name: The name of the header's element.
    ///   - type: The type of the value to read.
    /// - Returns: The value of the first header with that name.
    /// - Throws: ``SOAPClientError/unreadable(operation:_:)`` if the header does not contain such a value.
    public func header<Value: XMLCodable>(
        _ name: XMLName, as type: Value.Type = Value.self
    ) throws(SOAPClientError) -> Value? {
        guard let header = headers.first(where: { $0.name == name }) else { return nil }
        do throws(XMLValueError) { return try header.value(as: type) } catch {
            throw .unreadable(operation: name.local, error)
        }
    }

    /// Returns the attachment for a reference; `nil` if there is none.
    ///
    /// - Parameter reference: A URL such as `cid:photo@example.com` (RFC 2392), or a content ID.
    /// - Returns: The first attachment with that content ID.
    public func attachment(_ reference: String) -> XMLAttachment? {
        attachments.first { $0.contentID == XMLContentID.id(reference) ?? reference }
    }
}
