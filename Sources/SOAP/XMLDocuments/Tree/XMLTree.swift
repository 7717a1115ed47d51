// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CXML2

/// A parsed document, whose nodes live as long as it does.
package final class XMLTree {
    package let pointer: xmlDocPtr

    /// The document's element.
    package let root: XMLElement

    /// Parses a document.
    ///
    /// Nothing outside of the bytes is ever read.
    ///
    /// - Parameters:
    ///   - bytes: The document, in an encoding that it declares.
    ///   - limits: What is refused for its size or its document type.
    /// - Throws: ``XMLDocumentError``.
    package init(parsing bytes: [UInt8], limits: XMLLimits) throws(XMLDocumentError) {
        guard bytes.count <= min(limits.mostBytes, Int(CInt.max)) else { throw .tooLarge(mostBytes: limits.mostBytes) }
        pointer = try XMLParser(limits: limits).parse(bytes)
        guard let element = XMLElement(xmlDocGetRootElement(pointer)) else {
            xmlFreeDoc(pointer)
            throw .malformed(line: 1, problem: "There is no element")
        }
        root = element
    }

    deinit { xmlFreeDoc(pointer) }
}

extension XMLTree {
    /// The element at a path that begins with the document's element; that itself for an empty one.
    package func element(at path: [XMLName]) throws(XMLDocumentError) -> XMLElement {
        guard let first = path.first else { return root }
        guard root.name == first else { throw .noElement(path: path) }
        var element = root
        for name in path.dropFirst() {
            guard let child = element.child(name) else {
                throw .noElement(path: path)
            }
            element = child
        }
        return element
    }

    /// The document's bytes, in UTF-8.
    package var bytes: [UInt8] {
        get throws(XMLDocumentError) {
            var text: UnsafeMutablePointer<xmlChar>?
            var count: CInt = 0
            xmlDocDumpMemoryEnc(pointer, &text, &count, "UTF-8")
            guard let text else { throw .outOfMemory }
            defer { xml_free(text) }
            return Array(UnsafeBufferPointer(start: text, count: Int(count)))
        }
    }
}

extension XMLElement {
    /// Puts a copy of an element after what this one holds.
    package func append(_ other: XMLElement) throws(XMLDocumentError) -> XMLElement {
        guard let copy = xmlDocCopyNode(other.pointer, pointer.pointee.doc, 1) else { throw .outOfMemory }
        guard let added = xmlAddChild(pointer, copy) else {
            xmlFreeNode(copy)
            throw .outOfMemory
        }
        guard let element = XMLElement(added) else { throw .outOfMemory }
        return element
    }

    /// Puts a text after what this element holds.
    package func append(text: String) throws(XMLDocumentError) {
        guard let node = xmlNewDocText(pointer.pointee.doc, text), xmlAddChild(pointer, node) != nil else {
            throw .outOfMemory
        }
    }
}
