// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SOAPClient
import XMLValues

extension SOAPAnyBody {
    /// A Body that holds elements, which stand one after the other in the text.
    init(elementsIn text: [UInt8]) throws(XMLValueError) {
        self.init(try XMLAnyValue(xml: Array("<Body>".utf8) + text + Array("</Body>".utf8)).elements)
    }

    /// The Body as a document.
    var document: [UInt8] {
        get throws(XMLValueError) {
            var writer = XMLWriter()
            try writer.any(XMLElementValue(XMLName("Body"), content: elements.map { .element($0) }))
            return writer.bytes
        }
    }
}
