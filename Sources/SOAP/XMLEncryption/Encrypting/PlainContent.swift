// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments
internal import XMLSignature

/// What is encrypted, as bytes that mean the same by themselves (XML Encryption 1.1 section 4.5).
enum PlainContent {
    static func bytes(
        of element: XMLElement, in tree: XMLTree, _ form: EncryptedForm
    ) throws(XMLEncryptionError) -> [UInt8] {
        // With every declaration in scope, so that prefixes in values keep their meaning wherever it is read.
        let prefixes = element.namespaces.keys.sorted().map { $0.isEmpty ? "#default" : $0 }
        let canonicalization = Canonicalization(.exclusiveWithComments, inclusivePrefixes: prefixes)
        guard form == .content else { return try canonicalization.plainBytes(of: element, in: tree) }
        var bytes: [UInt8] = []
        var node = element.pointer.pointee.children
        while let current = node {
            let text = current.pointee.content.map { String(cString: $0) } ?? ""
            switch current.pointee.type {
            case XML_ELEMENT_NODE:
                if let child = XMLElement(current) { bytes += try canonicalization.plainBytes(of: child, in: tree) }
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE: bytes += text.xmlEscaped.utf8
            case XML_COMMENT_NODE: bytes += "<!--\(text)-->".utf8
            case XML_PI_NODE:
                let target = current.pointee.name.map { String(cString: $0) } ?? ""
                bytes += "<?\(target) \(text)?>".utf8
            default: throw .malformed(element: element.name.local, line: element.line)
            }
            node = current.pointee.next
        }
        return bytes
    }
}

extension Canonicalization {
    fileprivate func plainBytes(of element: XMLElement, in tree: XMLTree) throws(XMLEncryptionError) -> [UInt8] {
        do {
            return try bytes(of: element, in: tree, hasComments: true)
        } catch { throw .malformed(element: element.name.local, line: element.line) }
    }
}
