// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
package import XMLDocuments

/// A canonicalization method with its parameters.
public struct Canonicalization: Hashable, Sendable {
    /// The method.
    public var method: CanonicalizationMethod
    /// The prefixes that an exclusive method treats as an inclusive method does; `#default` is the default namespace.
    public var inclusivePrefixes: [String]

    /// Creates a canonicalization with a method and inclusive prefixes; without prefixes by default.
    public init(_ method: CanonicalizationMethod, inclusivePrefixes: [String] = []) {
        (self.method, self.inclusivePrefixes) = (method, inclusivePrefixes)
    }
}

extension Canonicalization {
    /// Returns the canonical form of an element and its descendants, without comments unless the method keeps them and
    /// `hasComments` is `true`.
    package func bytes(
        of element: XMLElement, in tree: XMLTree, hasComments: Bool = false
    ) throws(XMLSignatureError) -> [UInt8] {
        try bytes(of: NodeSelection(tree: tree, top: element, hasComments: hasComments))
    }

    /// Returns the canonical form of the selected nodes.
    func bytes(of selection: NodeSelection) throws(XMLSignatureError) -> [UInt8] {
        guard selection.filters.isEmpty, inclusivePrefixes.isEmpty || !inclusivePrefixes.contains("xml"),
            method.isExclusive || !selection.inheritsAttributes
        else { return try generalBytes(of: selection) }
        let excluded = selection.excludedElements.map(\.pointer)
        var writer = CanonicalWriter(
            isExclusive: method.isExclusive, keepsComments: method.keepsComments && selection.hasComments,
            inclusivePrefixes: inclusivePrefixes, excluded: excluded, capacity: 4096)
        try withExtendedLifetime(selection.tree) { () throws(XMLSignatureError) in
            guard let top = selection.top else { return try writer.write(selection.tree.pointer) }
            let isWithin = sequence(first: top, next: \.parent).contains { excluded.contains($0.pointer) }
            if !isWithin { try writer.write(element: top.pointer) }
        }
        return writer.bytes
    }

    /// Returns the canonical form of any selection of nodes, with libxml2's own function.
    func generalBytes(of selection: NodeSelection) throws(XMLSignatureError) -> [UInt8] {
        let output = Output()
        let unmanaged = Unmanaged.passRetained(output)
        defer { unmanaged.release() }
        let buffer = xmlOutputBufferCreateIO(
            { context, bytes, count in
                guard let context, let bytes, count >= 0 else { return -1 }
                Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
                    .append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                return count
            }, nil, unmanaged.toOpaque(), nil)
        guard let buffer else { throw .document(.outOfMemory) }
        let filter = NodeFilter(selection)
        let comments = method.keepsComments && selection.hasComments
        let result = withPrefixes { prefixes in
            withExtendedLifetime((selection.tree, filter)) {
                silencingLibXML {
                    xmlC14NExecute(
                        selection.tree.pointer,
                        selection.isEntireDocument
                            ? nil
                            : { context, node, parent in
                                guard let context, let node else { return 0 }
                                let filter = Unmanaged<NodeFilter>.fromOpaque(context).takeUnretainedValue()
                                return filter.contains(node, parent: parent) ? 1 : 0
                            },
                        Unmanaged.passUnretained(filter).toOpaque(), CInt(bitPattern: method.mode.rawValue), prefixes,
                        comments ? 1 : 0, buffer)
                }
            }
        }
        guard xmlOutputBufferClose(buffer) >= 0, result >= 0 else { throw .cannotCanonicalize }
        return output.bytes
    }

    private final class Output {
        var bytes: [UInt8] = []

        func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
    }

    /// Calls the closure with the prefixes as libxml2 requires them: an array of C strings, terminated by null.
    private func withPrefixes<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<xmlChar>?>?) -> Result
    ) -> Result {
        guard method.mode == XML_C14N_EXCLUSIVE_1_0, !inclusivePrefixes.isEmpty else { return body(nil) }
        var copies = inclusivePrefixes.map { xmlStrdup(Array($0.utf8) + [0]) }
        defer { for copy in copies { xml_free(copy) } }
        copies.append(nil)
        return copies.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}

/// A selection of nodes: a document or an element with its descendants, without the nodes that transforms exclude.
struct NodeSelection {
    let tree: XMLTree
    /// The top element; `nil` for the entire document.
    var top: XMLElement?
    /// Whether the selection includes comments (XML Signature 1.1 section 4.4.3.3).
    var hasComments: Bool
    /// The elements that are excluded with their descendants.
    var excludedElements: [XMLElement] = []
    /// The results of the XPath filters; a selected node is in all of them.
    var filters: [Set<Node>] = []

    /// A node, or a namespace with the element in which it is in scope.
    enum Node: Hashable {
        case node(UnsafeMutableRawPointer)
        case namespace(prefix: String, of: UnsafeMutableRawPointer)
    }

    /// Whether the selection is the entire document, possibly without comments.
    var isEntireDocument: Bool { top == nil && excludedElements.isEmpty && filters.isEmpty }

    /// Whether an ancestor has attributes such as `xml:lang`, which an inclusive method copies to the top element.
    var inheritsAttributes: Bool {
        guard let top else { return false }
        return sequence(first: top, next: \.parent).dropFirst().contains { element in
            element.attributes.contains { $0.name.namespace == "http://www.w3.org/XML/1998/namespace" }
        }
    }
}

/// The method that converts nodes to bytes.
///
/// The raw value is its URI.
@nonexhaustive
public enum CanonicalizationMethod: String, CaseIterable, Sendable {
    /// Canonical XML 1.0, without comments.
    case inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
    /// Canonical XML 1.0, with comments.
    case inclusiveWithComments = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments"
    /// Canonical XML 1.1, without comments.
    case inclusive11 = "http://www.w3.org/2006/12/xml-c14n11"
    /// Canonical XML 1.1, with comments.
    case inclusive11WithComments = "http://www.w3.org/2006/12/xml-c14n11#WithComments"
    /// Exclusive XML Canonicalization 1.0, without comments.
    case exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    /// Exclusive XML Canonicalization 1.0, with comments.
    case exclusiveWithComments = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"

    var keepsComments: Bool {
        switch self {
        case .inclusive, .inclusive11, .exclusive: false
        case .inclusiveWithComments, .inclusive11WithComments, .exclusiveWithComments: true
        }
    }

    /// Whether the method is Exclusive XML Canonicalization.
    package var isExclusive: Bool { self == .exclusive || self == .exclusiveWithComments }

    var mode: xmlC14NMode {
        switch self {
        case .inclusive, .inclusiveWithComments: XML_C14N_1_0
        case .inclusive11, .inclusive11WithComments: XML_C14N_1_1
        case .exclusive, .exclusiveWithComments: XML_C14N_EXCLUSIVE_1_0
        }
    }
}
