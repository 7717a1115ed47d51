// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Writes the envelope of a request.
struct EnvelopeWriter {
    let version: SOAPVersion
    let encoding: SOAPEncoding
    /// From how many bytes on binary values leave the envelope; `nil` keeps them in it.
    let attachmentThreshold: Int?

    private static let declaration = Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".utf8)

    /// Writes an envelope.
    ///
    /// - Parameters:
    ///   - headers: The header blocks, in this order; no Header without any.
    ///   - element: The element in the Body; `nil` where the value writes the Body's content.
    ///   - value: The content of the element.
    /// - Returns: The envelope, and the values that left it.
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

    /// The rules by which values are written, for the receiver (SOAP 1.1 section 4.1.1).
    private var encodingStyle: String? {
        switch encoding {
        case .literal: nil
        case .soap11: XMLNamespace.encoding11
        case .soap12: XMLNamespace.encoding12
        }
    }
}
