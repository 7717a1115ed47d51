// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// The response of a call.
public struct SOAPResponse<Output: XMLCodable>: Sendable {
    /// The value in the Body.
    public let output: Output
    /// The header blocks; with a verifier, the verified ones.
    public let headers: [XMLElementValue]
    /// What came beside the envelope, in its order; a verifier has verified only what the envelope refers to by XOP.
    public let attachments: [XMLAttachment]
    /// The status of HTTP.
    public let status: HTTPResponse.Status
    /// The header fields of HTTP.
    public let headerFields: HTTPFields

    /// A response by its parts, for tests.
    public init(
        output: Output, headers: [XMLElementValue] = [], attachments: [XMLAttachment] = [],
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) {
        (self.output, self.headers, self.attachments) = (output, headers, attachments)
        (self.status, self.headerFields) = (status, headerFields)
    }

    /// A header block as a value; `nil` where there is none of the name.
    ///
    /// - Parameters:
    ///   - name: Its element's name.
    ///   - type: The type of the value to read.
    /// - Returns: The value of the first header of the name.
    /// - Throws: ``SOAPClientError/unreadable(operation:_:)`` where it cannot be read.
    public func header<Value: XMLCodable>(
        _ name: XMLName, as type: Value.Type = Value.self
    ) throws(SOAPClientError) -> Value? {
        guard let header = headers.first(where: { $0.name == name }) else { return nil }
        do throws(XMLValueError) { return try header.value(as: type) } catch {
            throw .unreadable(operation: name.local, error)
        }
    }

    /// The attachment that a reference names, such as `cid:photo@example.com`, or a content ID; `nil` where there is none.
    public func attachment(_ reference: String) -> XMLAttachment? {
        attachments.first { $0.contentID == XMLContentID.id(reference) ?? reference }
    }
}
