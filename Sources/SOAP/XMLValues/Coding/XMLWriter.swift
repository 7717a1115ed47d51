// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import XMLDocuments

/// Writes a document in UTF-8.
///
/// Generated types use it to write themselves: first the attributes of the open element, then its content. Every
/// namespace has a prefix; no default namespace is declared, because elements without a namespace would be in it.
///
/// Every function throws ``XMLValueError/misplaced(at:)`` for an attribute after content and for content outside an
/// element, ``XMLValueError/name(_:at:)`` for a name, prefix or namespace that cannot be written, and
/// ``XMLValueError/character(_:at:)`` for a character that XML 1.0 does not allow. Functions that write elements throw
/// ``XMLValueError/tooDeep(depth:at:)`` if more than 128 elements would be open.
public struct XMLWriter {
    private struct Frame {
        /// The range of the element's name, with its prefix, in the written bytes.
        let name: Range<Int>
        let prefixLength: Int
        /// The number of prefixes in scope before the element.
        let bindings: Int
    }

    /// The written bytes.
    package private(set) var bytes: [UInt8] = []
    /// The collector of large binary values; `nil` if these are written into the document.
    package var attachments: XMLAttachmentCollector?
    /// The encoding of values.
    package let encoding: SOAPEncoding
    /// The maximum nesting depth of elements.
    package var depth = 128

    private var scope: XMLScope
    private var frames: [Frame] = []
    /// Whether the start tag of the innermost element is incomplete.
    private var isTagOpen = false
    /// The attributes of the incomplete start tag.
    private var attributeNames: [XMLName] = []

    /// Creates a writer of a document.
    ///
    /// - Parameters:
    ///   - prefixes: The prefixes that the root element declares.
    ///   - encoding: The encoding of values.
    ///   - attachments: The collector of large binary values; `nil` writes them into the document.
    package init(
        prefixes: [(prefix: String, namespace: String)] = [], encoding: SOAPEncoding = .literal,
        attachments: XMLAttachmentCollector? = nil
    ) {
        (scope, self.encoding, self.attachments) = (XMLScope(prefixes: prefixes), encoding, attachments)
    }

    /// The path of the open elements.
    package var place: XMLPlace {
        XMLPlace(
            path: frames.map { String(decoding: bytes[$0.name].dropFirst($0.prefixLength), as: UTF8.self) }
                .joined(separator: "/"),
            line: nil)
    }
}

// MARK: Tags

extension XMLWriter {
    /// Opens an element.
    ///
    /// - Parameters:
    ///   - local: The name.
    ///   - namespace: The namespace, empty for none.
    ///   - prefixes: The namespaces that the element declares, by prefix.
    /// - Throws: ``XMLValueError``.
    package mutating func startElement(
        _ local: String, in namespace: String = "", declaring prefixes: [String: String] = [:]
    ) throws(XMLValueError) {
        guard frames.count < depth else { throw .tooDeep(depth: depth, at: place) }
        guard !frames.isEmpty || bytes.isEmpty else { throw .misplaced(at: place) }
        finishTag()
        let bindings = frames.isEmpty ? 0 : scope.bindings.count
        if !prefixes.isEmpty {
            for (prefix, namespace) in prefixes.sorted(by: { $0.key < $1.key }) { scope.declare(prefix, namespace) }
        }
        let prefix = scope.prefix(for: namespace)
        bytes.append(UInt8(ascii: "<"))
        let start = bytes.count
        try append(name: local, prefix: prefix)
        let prefixLength = prefix.isEmpty ? 0 : prefix.utf8.count + 1
        frames.append(Frame(name: start..<bytes.count, prefixLength: prefixLength, bindings: bindings))
        isTagOpen = true
        attributeNames.removeAll(keepingCapacity: true)
        try writeDeclarations()
    }

    /// Closes the innermost element.
    package mutating func endElement() throws(XMLValueError) {
        guard let frame = frames.popLast() else { throw .misplaced() }
        if isTagOpen {
            bytes.append(contentsOf: "/>".utf8)
            isTagOpen = false
        } else {
            bytes.append(contentsOf: "</".utf8)
            // A slice would share the buffer, so that append would copy all bytes.
            for index in frame.name { bytes.append(bytes[index]) }
            bytes.append(UInt8(ascii: ">"))
        }
        scope.bindings.removeLast(scope.bindings.count - frame.bindings)
        scope.written = scope.bindings.count
    }

    /// Declares a prefix on the open element, unless the prefix already has that namespace.
    ///
    /// - Throws: ``XMLValueError/name(_:at:)`` if the start tag itself uses the prefix for another namespace.
    package mutating func declare(_ prefix: String, _ namespace: String) throws(XMLValueError) {
        guard isTagOpen, let frame = frames.last else { throw .misplaced(at: place) }
        guard scope.namespace(ofPrefix: prefix) != namespace else { return }
        let used = attributeNames.map(\.namespace).filter { !$0.isEmpty }.map { scope.prefix(for: $0) }
        guard !bytes[frame.name].starts(with: "\(prefix):".utf8), !used.contains(prefix) else {
            throw .name("xmlns:\(prefix)=\(namespace)", at: place)
        }
        scope.declare(prefix, namespace)
        try writeDeclarations()
    }

    private mutating func finishTag() {
        guard isTagOpen else { return }
        bytes.append(UInt8(ascii: ">"))
        isTagOpen = false
    }

    private mutating func append(name local: String, prefix: String) throws(XMLValueError) {
        guard local.isXMLName else { throw .name(local, at: place) }
        if !prefix.isEmpty {
            bytes.append(contentsOf: prefix.utf8)
            bytes.append(UInt8(ascii: ":"))
        }
        bytes.append(contentsOf: local.utf8)
    }

    /// Writes the declarations that have not been written yet.
    private mutating func writeDeclarations() throws(XMLValueError) {
        guard scope.written < scope.bindings.count else { return }
        guard isTagOpen else { throw .misplaced(at: place) }
        for binding in scope.bindings[scope.written...] {
            let isReserved = [XMLNamespace.xml, XMLNamespace.declarations].contains(binding.namespace)
            guard binding.prefix.isXMLName, binding.prefix != "xmlns", binding.prefix != "xml", !isReserved,
                !binding.namespace.isEmpty
            else {
                throw .name("xmlns:\(binding.prefix)=\(binding.namespace)", at: place)
            }
            bytes.append(contentsOf: " xmlns:".utf8)
            bytes.append(contentsOf: binding.prefix.utf8)
            try append(attributeValue: binding.namespace)
        }
        scope.written = scope.bindings.count
    }

    private mutating func append(attributeValue text: String) throws(XMLValueError) {
        bytes.append(contentsOf: "=\"".utf8)
        if let refused = bytes.append(text, escapedIn: .attribute) { throw .character(refused, at: place) }
        bytes.append(UInt8(ascii: "\""))
    }
}

// MARK: Attributes and texts

extension XMLWriter {
    /// Writes an attribute of the open element.
    ///
    /// - Throws: ``XMLValueError/repeatedAttribute(_:at:)`` for a second attribute with the same name,
    ///   ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``, ``XMLValueError/character(_:at:)``, and
    ///   errors of the value.
    public mutating func attribute(
        _ local: String, in namespace: String = "", _ value: some XMLSimpleType
    ) throws(XMLValueError) {
        let text: String
        do throws(XMLValueError) { text = try value.xmlText(in: &scope) } catch {
            throw error.located(at: place.attribute(local))
        }
        try write(attribute: local, in: namespace, text)
    }

    /// Writes an attribute of the open element; nothing for a value of `nil`.
    ///
    /// - Throws: ``XMLValueError/repeatedAttribute(_:at:)`` for a second attribute with the same name,
    ///   ``XMLValueError/misplaced(at:)``, ``XMLValueError/name(_:at:)``, ``XMLValueError/character(_:at:)``, and
    ///   errors of the value.
    public mutating func attribute(
        _ local: String, in namespace: String = "", _ value: (some XMLSimpleType)?
    ) throws(XMLValueError) {
        guard let value else { return }
        try attribute(local, in: namespace, value)
    }

    /// Writes attributes that no declaration describes (`xs:anyAttribute`), ordered by namespace and name.
    ///
    /// - Throws: ``XMLValueError/repeatedAttribute(_:at:)``, ``XMLValueError/misplaced(at:)``,
    ///   ``XMLValueError/name(_:at:)`` and ``XMLValueError/character(_:at:)``.
    public mutating func attributes(_ others: [XMLName: String]) throws(XMLValueError) {
        guard !others.isEmpty else { return }
        for (name, value) in others.sorted(by: { $0.key < $1.key }) {
            try write(attribute: name.local, in: name.namespace, value)
        }
    }

    /// Writes the `xsi:type` of the open element.
    ///
    /// - Throws: ``XMLValueError/repeatedAttribute(_:at:)`` if the element already has one,
    ///   ``XMLValueError/misplaced(at:)`` and ``XMLValueError/name(_:at:)``.
    public mutating func typeAttribute(_ type: XMLName) throws(XMLValueError) {
        try attribute("type", in: XMLNamespace.instance, type)
    }

    /// Writes a value as the text of the open element.
    ///
    /// - Throws: ``XMLValueError/misplaced(at:)``, ``XMLValueError/character(_:at:)``, and errors of the value.
    public mutating func text(_ value: some XMLSimpleType) throws(XMLValueError) {
        let text: String
        do throws(XMLValueError) { text = try value.xmlText(in: &scope) } catch { throw error.located(at: place) }
        try write(text: text)
    }

    /// Writes characters into the open element.
    package mutating func write(text: String) throws(XMLValueError) {
        guard !frames.isEmpty else { throw .misplaced() }
        try writeDeclarations()
        guard !text.isEmpty else { return }
        finishTag()
        if let refused = bytes.append(text, escapedIn: .content) { throw .character(refused, at: place) }
    }

    /// Writes bytes that are text without markup, such as Base64.
    mutating func write(plain text: [UInt8]) throws(XMLValueError) {
        guard !frames.isEmpty else { throw .misplaced() }
        finishTag()
        bytes += text
    }

    private mutating func write(attribute local: String, in namespace: String, _ text: String) throws(XMLValueError) {
        guard isTagOpen else { throw .misplaced(at: place.attribute(local)) }
        let name = XMLName(local, in: namespace)
        guard !attributeNames.contains(name) else { throw .repeatedAttribute(name, at: place) }
        attributeNames.append(name)
        let prefix = scope.prefix(for: namespace)
        try writeDeclarations()
        guard namespace != "" || local != "xmlns" else { throw .name(local, at: place) }
        bytes.append(UInt8(ascii: " "))
        try append(name: local, prefix: prefix)
        try append(attributeValue: text)
    }
}

extension XMLName {
    /// Orders the attributes of a dictionary by namespace and name.
    fileprivate static func < (one: XMLName, other: XMLName) -> Bool {
        (one.namespace, one.local) < (other.namespace, other.local)
    }
}

/// The encoding of values: literal, or the SOAP encoding, which names each value's type.
public enum SOAPEncoding: Hashable, Sendable {
    /// Values are written according to their schema, without types.
    case literal
    /// Elements have an `xsi:type`, and arrays are written according to SOAP 1.1 section 5.
    case soap11
    /// Elements have an `xsi:type`, and arrays are written according to SOAP 1.2 Part 2 section 3.
    case soap12
}
