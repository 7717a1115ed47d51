// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes the envelope of a request.
struct EnvelopeWriter {
    let version: SOAPVersion
    let encoding: SOAPEncoding
    /// The minimum size in bytes of a binary value that becomes an attachment; `nil` for no attachments.
    let attachmentThreshold: Int?

    private static let declaration = Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".utf8)

    /// Writes an envelope.
    ///
    /// - Parameters:
    ///   - headers: The header blocks, in order; without any, the envelope has no Header.
    ///   - element: The element in the Body; `nil` if the value is the entire content of the Body.
    ///   - value: The content of the element or of the Body.
    /// - Returns: The envelope, and the values that became attachments.
    /// - Throws: `XMLValueError` for a value that cannot be written.
    func envelope(
        headers: [SOAPHeader], element: XMLName?, _ value: some XMLCodable
    ) throws(XMLValueError) -> (bytes: [UInt8], attachments: [XMLAttachment]) {
        var xml = XMLWriter(
            prefixes: [("soap", version.namespace)], encoding: encoding,
            attachments: attachmentThreshold.map(XMLAttachmentCollector.init(threshold:)))
        try xml.startElement("Envelope", in: version.namespace)
        if !headers.isEmpty {
            try xml.startElement("Header", in: version.namespace)
            for header in headers { try header.encode(to: &xml, version: version) }
            try xml.endElement()
        }
        try xml.startElement("Body", in: version.namespace)
        if let element { try xml.startElement(element.local, in: element.namespace) }
        if let encodingStyle, element != nil {
            try xml.attribute("encodingStyle", in: version.namespace, encodingStyle)
        }
        try value.encode(to: &xml)
        if element != nil { try xml.endElement() }
        try xml.endElement()
        try xml.endElement()
        return (Self.declaration + xml.bytes, xml.attachments?.attachments ?? [])
    }

    /// The URI of the encoding rules, for the receiver (SOAP 1.1 section 4.1.1).
    private var encodingStyle: String? {
        switch encoding {
        case .literal: nil
        case .soap11: XMLNamespace.encoding11
        case .soap12: XMLNamespace.encoding12
        }
    }
}

/// A header block of a request (SOAP 1.1 section 4.2, SOAP 1.2 Part 1 section 5.2).
public struct SOAPHeader: Sendable {
    /// The name of the header's element.
    public let name: XMLName
    /// Whether a receiver that does not know the header must refuse the message.
    public let mustUnderstand: Bool
    /// The URI of the receiver, in the attribute `actor` or `role`; `nil` for the ultimate receiver.
    public let role: String?
    private let encode: @Sendable (inout XMLWriter) throws(XMLValueError) -> Void

    /// Creates a header with a value.
    ///
    /// - Parameters:
    ///   - name: The name of the header's element.
    ///   - value: The content of the element.
    ///   - mustUnderstand: Whether a receiver that does not know the header must refuse the message;
    ///     `false` by default.
    ///   - role: The URI of the receiver; `nil`, the default, for the ultimate receiver.
    public init(_ name: XMLName, _ value: some XMLCodable, mustUnderstand: Bool = false, role: String? = nil) {
        (self.name, self.mustUnderstand, self.role) = (name, mustUnderstand, role)
        encode = { xml throws(XMLValueError) in try value.encode(to: &xml) }
    }

    /// Writes the block into an open Header.
    func encode(to xml: inout XMLWriter, version: SOAPVersion) throws(XMLValueError) {
        try xml.startElement(name.local, in: name.namespace)
        if mustUnderstand {
            try xml.attribute("mustUnderstand", in: version.namespace, version == .soap11 ? "1" : "true")
        }
        if let role { try xml.attribute(version.roleAttribute.local, in: version.namespace, role) }
        try encode(&xml)
        try xml.endElement()
    }
}
