// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An element of an XML document.
struct XMLElement {
    let name: String
    let attributes: [(name: String, value: String)]
    /// The offset of the start tag, in bytes.
    let offset: Int
    var children: [XMLElement] = []
    /// The text directly inside the element.
    var text = ""

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    /// Returns the first child element with a name.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}

extension XMLElement {
    /// Reads the document element at the scanner's position.
    init(_ scanner: inout XMLScanner) throws(NibError) {
        var open: [(element: XMLElement, name: Range<Int>)] = []
        while true {
            let start = scanner.index
            if let last = open.indices.last {
                switch try scanner.text() {
                case .plain(let range) where range.isEmpty: break
                case .plain(let range): open[last].element.text += scanner.string(range)
                case .decoded(let bytes): open[last].element.text += String(decoding: bytes, as: UTF8.self)
                }
            }
            var finished: XMLElement?
            if let name = open.last?.name, try scanner.endTag(name) {
                finished = open.popLast()?.element
            } else {
                guard open.count < XMLScanner.maximumDepth else {
                    throw .tooDeep(limit: XMLScanner.maximumDepth, offset: start)
                }
                let offset = scanner.index
                let tag = try scanner.startTag()
                guard let name = String(validating: scanner.bytes[tag.name], as: UTF8.self) else {
                    throw .malformed(.xml, offset: offset)
                }
                let element = XMLElement(name: name, attributes: tag.attributes, offset: offset)
                if tag.isEmpty { finished = element } else { open.append((element, tag.name)) }
            }
            guard let finished else { continue }
            guard let last = open.indices.last else {
                try scanner.end()
                self = finished
                return
            }
            open[last].element.children.append(finished)
        }
    }
}
