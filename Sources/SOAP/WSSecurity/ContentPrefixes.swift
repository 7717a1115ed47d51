// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments

/// Finds namespace prefixes in texts and attribute values, as in `xsi:type="xsd:string"`.
///
/// Exclusive canonicalization omits their declarations, so that a signature would not protect their meaning (Exclusive
/// XML Canonicalization 1.0 section 1.3).
enum ContentPrefixes {
    private static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

    /// Returns the sorted prefixes that an element and its descendants use in values and that are declared in the
    /// element's scope.
    ///
    /// - Returns: The distinct prefixes; `#default` if an `xsi:type` has no prefix.
    static func used(in element: XMLElement) -> [String] {
        var candidates: Set<String> = []
        element.forEach { element in
            for attribute in sequence(first: element.pointer.pointee.properties, next: { $0?.pointee.next }) {
                guard let attribute, let text = attribute.pointee.children?.pointee.content else { continue }
                if let prefix = prefix(text) { candidates.insert(prefix) }
            }
            if let text = element.pointer.pointee.children, text.pointee.type == XML_TEXT_NODE,
                let content = text.pointee.content, let prefix = prefix(content)
            {
                candidates.insert(prefix)
            }
            // Most elements have no such attribute, and are excluded without creating a string.
            if hasAttributeNamedType(element), let type = element[XMLName("type", in: schemaInstance)],
                !type.contains(":")
            {
                candidates.insert("")
            }
        }
        guard !candidates.isEmpty else { return [] }
        return candidates.intersection(element.declaredPrefixes).sorted().map { $0.isEmpty ? "#default" : $0 }
    }

    private static func hasAttributeNamedType(_ element: XMLElement) -> Bool {
        var next = element.pointer.pointee.properties
        while let attribute = next {
            if let name = attribute.pointee.name, name[0] == 0x74, name[1] == 0x79, name[2] == 0x70, name[3] == 0x65,
                name[4] == 0
            {
                return true
            }
            next = attribute.pointee.next
        }
        return false
    }

    /// Returns the text before the first colon if it may be a prefix of at most 64 bytes.
    private static func prefix(_ text: UnsafePointer<xmlChar>) -> String? {
        var start = 0
        while [0x20, 0x09, 0x0a, 0x0d].contains(text[start]) { start += 1 }
        var end = start
        while text[end] != 0x3a {
            guard isNameByte(text[end]), end - start < 64 else { return nil }
            end += 1
        }
        // A slash follows a URL scheme, such as in http://example.com/, but a name follows a prefix.
        guard end > start, text[end + 1] != 0, isNameByte(text[end + 1]) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: text + start, count: end - start), as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x80...: true
        default: false
        }
    }
}
