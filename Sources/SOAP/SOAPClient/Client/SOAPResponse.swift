// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// The response of a call.
public struct SOAPResponse<Output: XMLCodable>: Sendable {
    /// The value in the Body.
    public let output: Output
    /// The header blocks; with a verifier, the verified ones.
    public let headers: [XMLElementValue]
    /// The attachments beside the envelope, in their order.
    ///
    /// With a verifier, only those that the envelope includes by XOP are verified.
    public let attachments: [XMLAttachment]
    /// The status code of the HTTP response.
    public let status: HTTPResponse.Status
    /// The header fields of the HTTP response.
    public let headerFields: HTTPFields

    /// Creates a response from its parts, for tests.
    public init(
        output: Output, headers: [XMLElementValue] = [], attachments: [XMLAttachment] = [],
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) {
        (self.output, self.headers, self.attachments) = (output, headers, attachments)
        (self.status, self.headerFields) = (status, headerFields)
    }

    /// Returns the first header block of a name as a value; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - name: The name of the header's element.
    ///   - type: The type of the value to read.
    /// - Returns: The value of the first header of the name.
    /// - Throws: ``SOAPClientError/unreadable(operation:_:)`` where the header does not hold such a value.
    public func header<Value: XMLCodable>(
        _ name: XMLName, as type: Value.Type = Value.self
    ) throws(SOAPClientError) -> Value? {
        guard let header = headers.first(where: { $0.name == name }) else { return nil }
        do throws(XMLValueError) { return try header.value(as: type) } catch {
            throw .unreadable(operation: name.local, error)
        }
    }

    /// Returns the attachment that a reference names; `nil` where there is none.
    ///
    /// - Parameter reference: A URL such as `cid:photo@example.com` (RFC 2392), or a content ID.
    /// - Returns: The first attachment with that content ID.
    public func attachment(_ reference: String) -> XMLAttachment? {
        attachments.first { $0.contentID == XMLContentID.id(reference) ?? reference }
    }
}
