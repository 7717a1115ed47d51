// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

/// Writes the canonical form of nodes directly from libxml2's memory.
///
/// It writes a document or an element with its descendants, except excluded elements. libxml2's own function calls back
/// for each node and namespace to determine whether it is selected, which costs more than everything else.
struct CanonicalWriter: ~Copyable {
    private var sink: ByteSink
    private let isExclusive: Bool
    private let keepsComments: Bool
    /// The excluded elements.
    private let excluded: [xmlNodePtr]
    /// The null-terminated prefixes whose declarations an exclusive method treats as an inclusive method does.
    private let inclusivePrefixes: [[UInt8]]
    /// The written declarations that are in scope, innermost last.
    private var rendered: [Declaration] = []
    /// The declarations of the current element, in the order of writing.
    private var declarations: [Declaration] = []
    private var attributes: [xmlAttrPtr] = []

    /// A namespace declaration, with pointers into the tree; `nil` for the empty prefix and for no namespace.
    private struct Declaration {
        let prefix: UnsafePointer<xmlChar>?
        let uri: UnsafePointer<xmlChar>?
    }

    init(
        isExclusive: Bool, keepsComments: Bool, inclusivePrefixes: [String], excluded: [xmlNodePtr], capacity: Int
    ) {
        self.isExclusive = isExclusive
        self.keepsComments = keepsComments
        self.excluded = excluded
        self.inclusivePrefixes = inclusivePrefixes.map { ($0 == "#default" ? [] : Array($0.utf8)) + [0] }
        sink = ByteSink(capacity: capacity)
    }

    /// The written bytes.
    var bytes: [UInt8] { sink.bytes }

    /// Writes a document: the root element, and each comment and processing instruction outside it on its own line.
    mutating func write(_ document: xmlDocPtr) throws(XMLSignatureError) {
        var isAfterElement = false
        var node = document.pointee.children
        while let current = node {
            let type = current.pointee.type
            if type == XML_ELEMENT_NODE {
                try write(element: current)
                isAfterElement = true
            } else if type == XML_PI_NODE || (keepsComments && type == XML_COMMENT_NODE) {
                if isAfterElement { sink.write(0x0a) }
                write(leaf: current)
                if !isAfterElement { sink.write(0x0a) }
            }
            node = current.pointee.next
        }
    }

    /// Writes an element and its descendants.
    mutating func write(element top: xmlNodePtr) throws(XMLSignatureError) {
        guard !excluded.contains(top) else { return }
        // The number of declarations in scope at each open element; the tree's depth is limited.
        var scopes: [Int] = []
        var node = top
        while true {
            var isOpen = false
            if node.pointee.type == XML_ELEMENT_NODE {
                if !excluded.contains(node) {
                    scopes.append(rendered.count)
                    try open(node, isTop: node == top)
                    isOpen = true
                }
            } else {
                try write(node: node)
            }
            if isOpen {
                if let first = node.pointee.children {
                    node = first
                    continue
                }
                close(node, &scopes)
            }
            while node != top, node.pointee.next == nil, let parent = node.pointee.parent {
                node = parent
                close(node, &scopes)
            }
            guard node != top, let next = node.pointee.next else { return }
            node = next
        }
    }

    private mutating func close(_ element: xmlNodePtr, _ scopes: inout [Int]) {
        sink.write(0x3c)
        sink.write(0x2f)
        writeName(element.pointee.ns?.pointee.prefix, element.pointee.name)
        sink.write(0x3e)
        if let count = scopes.popLast() { rendered.removeLast(rendered.count - count) }
    }

    private mutating func write(node: xmlNodePtr) throws(XMLSignatureError) {
        switch node.pointee.type {
        case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
            if let content = node.pointee.content { sink.write(content, .text) }
        case XML_COMMENT_NODE: if keepsComments { write(leaf: node) }
        case XML_PI_NODE: write(leaf: node)
        default: throw .cannotCanonicalize
        }
    }

    /// Writes a comment or a processing instruction.
    private mutating func write(leaf node: xmlNodePtr) {
        let isComment = node.pointee.type == XML_COMMENT_NODE
        sink.write((isComment ? "<!--" : "<?" as StaticString).utf8Start)
        if !isComment, let target = node.pointee.name { sink.write(target) }
        if let content = node.pointee.content, content.pointee != 0 {
            if !isComment { sink.write(0x20) }
            sink.write(content, .leaf)
        }
        sink.write((isComment ? "-->" : "?>" as StaticString).utf8Start)
    }

    private mutating func open(_ element: xmlNodePtr, isTop: Bool) throws(XMLSignatureError) {
        sink.write(0x3c)
        writeName(element.pointee.ns?.pointee.prefix, element.pointee.name)
        try checkDeclarations(of: element)
        collectAttributes(of: element)
        declarations.removeAll(keepingCapacity: true)
        if isExclusive { collectUsed(by: element) } else { collectInScope(of: element, isTop: isTop) }
        for declaration in declarations {
            sink.write(Self.declaration.utf8Start)
            if let prefix = declaration.prefix {
                sink.write(0x3a)
                sink.write(prefix)
            }
            writeQuote()
            if let uri = declaration.uri { sink.write(uri, .attribute) }
            sink.write(0x22)
        }
        for attribute in attributes {
            sink.write(0x20)
            writeName(attribute.pointee.ns?.pointee.prefix, attribute.pointee.name)
            writeQuote()
            var value = attribute.pointee.children
            while let text = value {
                guard text.pointee.type == XML_TEXT_NODE else { throw .cannotCanonicalize }
                if let content = text.pointee.content { sink.write(content, .attribute) }
                value = text.pointee.next
            }
            sink.write(0x22)
        }
        sink.write(0x3e)
    }

    /// Collects the attributes, ordered by namespace, then by name; attributes without a namespace come first.
    private mutating func collectAttributes(of element: xmlNodePtr) {
        attributes.removeAll(keepingCapacity: true)
        var next = element.pointee.properties
        while let attribute = next {
            var index = attributes.count
            while index > 0, Self.isBefore(attribute, attributes[index - 1]) { index -= 1 }
            attributes.insert(attribute, at: index)
            next = attribute.pointee.next
        }
    }

    private static func isBefore(_ left: xmlAttrPtr, _ right: xmlAttrPtr) -> Bool {
        let order = compare(left.pointee.ns?.pointee.href, right.pointee.ns?.pointee.href)
        return order == 0 ? compare(left.pointee.name, right.pointee.name) < 0 : order < 0
    }

    /// Refuses namespaces with relative URIs (Canonical XML 1.1 section 1.3).
    private func checkDeclarations(of element: xmlNodePtr) throws(XMLSignatureError) {
        var next = element.pointee.nsDef
        while let declaration = next {
            if let uri = declaration.pointee.href, uri.pointee != 0, !Self.hasScheme(uri) { throw .cannotCanonicalize }
            next = declaration.pointee.next
        }
    }

    private static func hasScheme(_ uri: UnsafePointer<xmlChar>) -> Bool {
        var index = 0
        while true {
            switch uri[index] {
            case 0x41...0x5a, 0x61...0x7a: break
            case 0x30...0x39, 0x2b, 0x2d, 0x2e: if index == 0 { return false }
            case 0x3a: return index > 0
            default: return false
            }
            index += 1
        }
    }

    /// Collects the declarations that an exclusive method writes: those that the names of the element and its
    /// attributes use, and those of the listed prefixes (Exclusive XML Canonicalization 1.0 section 3).
    private mutating func collectUsed(by element: xmlNodePtr) {
        for prefix in inclusivePrefixes { collect(inclusive: prefix, of: element) }
        collect(element.pointee.ns)
        for attribute in attributes {
            if let namespace = attribute.pointee.ns { collect(namespace) }
        }
    }

    private mutating func collect(inclusive prefix: [UInt8], of element: xmlNodePtr) {
        prefix.withUnsafeBufferPointer { text in
            var ancestor: xmlNodePtr? = element
            while let current = ancestor, current.pointee.type == XML_ELEMENT_NODE {
                var next = current.pointee.nsDef
                while let declaration = next {
                    if Self.compare(declaration.pointee.prefix, text.baseAddress) == 0 { return collect(declaration) }
                    next = declaration.pointee.next
                }
                ancestor = current.pointee.parent
            }
        }
    }

    /// Collects the declarations that an inclusive method writes: those that are not yet in effect (Canonical XML 1.1
    /// section 2.3).
    private mutating func collectInScope(of element: xmlNodePtr, isTop: Bool) {
        var ancestor: xmlNodePtr? = element
        while let current = ancestor, current.pointee.type == XML_ELEMENT_NODE {
            var next = current.pointee.nsDef
            while let declaration = next {
                if !isTop || !declarations.contains(where: { Self.compare($0.prefix, declaration.pointee.prefix) == 0 })
                {
                    collect(declaration, keepsEmpty: isTop)
                }
                next = declaration.pointee.next
            }
            ancestor = isTop ? current.pointee.parent : nil
        }
        // A declaration xmlns="" that only overrides a declaration above the top element is not written.
        if isTop { declarations.removeAll { $0.prefix == nil && ($0.uri == nil || $0.uri?.pointee == 0) } }
    }

    /// Adds a declaration, unless its prefix already has this namespace.
    private mutating func collect(_ namespace: xmlNsPtr?, keepsEmpty: Bool = false) {
        let prefix = namespace?.pointee.prefix.flatMap { $0.pointee == 0 ? nil : UnsafePointer($0) }
        let uri = namespace?.pointee.href.map { UnsafePointer($0) }
        if let prefix, Self.isXML(prefix) { return }
        var index = rendered.count
        var isKnown = prefix == nil && (uri == nil || uri?.pointee == 0) && !keepsEmpty
        while index > 0 {
            index -= 1
            guard Self.compare(rendered[index].prefix, prefix) == 0 else { continue }
            isKnown = Self.compare(rendered[index].uri, uri) == 0
            break
        }
        guard !isKnown else { return }
        let declaration = Declaration(prefix: prefix, uri: uri)
        rendered.append(declaration)
        var place = declarations.count
        while place > 0, Self.compare(prefix, declarations[place - 1].prefix) < 0 { place -= 1 }
        declarations.insert(declaration, at: place)
    }

    private static func isXML(_ prefix: UnsafePointer<xmlChar>) -> Bool {
        prefix[0] == 0x78 && prefix[1] == 0x6d && prefix[2] == 0x6c && prefix[3] == 0
    }

    /// Compares the bytes, which for UTF-8 gives the order of code points; `nil` is the empty text.
    private static func compare(_ left: UnsafePointer<xmlChar>?, _ right: UnsafePointer<xmlChar>?) -> Int {
        guard left != right else { return 0 }
        guard let left else { return right?.pointee == 0 ? 0 : -1 }
        guard let right else { return left.pointee == 0 ? 0 : 1 }
        var index = 0
        while left[index] == right[index], left[index] != 0 { index += 1 }
        return Int(left[index]) - Int(right[index])
    }

    private static let declaration: StaticString = " xmlns"

    /// Writes the equals sign and the opening quotation mark of a value.
    private mutating func writeQuote() {
        sink.write(0x3d)
        sink.write(0x22)
    }

    private mutating func writeName(_ prefix: UnsafePointer<xmlChar>?, _ name: UnsafePointer<xmlChar>?) {
        if let prefix, prefix.pointee != 0 {
            sink.write(prefix)
            sink.write(0x3a)
        }
        if let name { sink.write(name) }
    }
}

/// A growing byte buffer.
///
/// The checks of an array would be too slow for canonical forms with millions of short pieces.
private struct ByteSink: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 256)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// The written bytes.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
        if count == capacity { grow() }
        start[count] = byte
        count &+= 1
    }

    /// Writes a null-terminated text.
    @inline(__always)
    mutating func write(_ text: UnsafePointer<UInt8>) {
        var next = text
        while next.pointee != 0 {
            write(next.pointee)
            next += 1
        }
    }

    /// Writes a null-terminated text, with references in place of special characters.
    @inline(__always)
    mutating func write(_ text: UnsafePointer<UInt8>, _ escaping: Escaping) {
        var next = text
        while true {
            let byte = next.pointee
            if byte > 0x3e {
                write(byte)
            } else if byte == 0 {
                return
            } else if let reference = escaping.reference(to: byte) {
                write(reference.utf8Start)
            } else {
                write(byte)
            }
            next += 1
        }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, capacity * 2)
    }
}

/// The characters to write as references (Canonical XML 1.1 section 2.3).
private enum Escaping {
    case text, attribute, leaf

    /// Returns the null-terminated reference for a byte; `nil` if the byte is written unchanged.
    @inline(__always)
    func reference(to byte: UInt8) -> StaticString? {
        switch (byte, self) {
        case (0x26, .text), (0x26, .attribute): "&amp;"
        case (0x3c, .text), (0x3c, .attribute): "&lt;"
        case (0x3e, .text): "&gt;"
        case (0x22, .attribute): "&quot;"
        case (0x09, .attribute): "&#x9;"
        case (0x0a, .attribute): "&#xA;"
        case (0x0d, _): "&#xD;"
        default: nil
        }
    }
}
