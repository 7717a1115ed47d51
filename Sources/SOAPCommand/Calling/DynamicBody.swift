// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SOAPClient
import XMLValues

/// A Body whose elements are known when the program runs.
struct DynamicBody: SOAPBodyParts {
    private let elements: [XMLElementValue]

    /// A Body that holds elements, which stand one after the other.
    init(xml elements: [UInt8]) throws(XMLValueError) {
        let body = Array("<Body>".utf8) + elements + Array("</Body>".utf8)
        self.elements = try XMLAnyValue(xml: body).content.elements
    }

    init(from xml: inout XMLReader) throws(XMLValueError) { elements = try xml.anys(.any) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) { try xml.any(elements) }

    /// The Body as a document.
    var document: [UInt8] {
        get throws(XMLValueError) {
            var writer = XMLWriter()
            try writer.any(XMLElementValue(XMLName("Body"), content: elements.map { .element($0) }))
            return writer.bytes
        }
    }
}
