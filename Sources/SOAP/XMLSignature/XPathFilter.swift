// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments

/// An XPath 1.0 expression of a transform, with its context.
struct XPathFilter {
    let expression: String
    /// The element that contains the expression, whose namespaces apply and which `here()` returns.
    let place: XMLElement

    /// The maximum number of evaluation steps, as libxml2 counts them.
    private static let maximumStepCount: CUnsignedLong = 10_000_000

    /// Returns the nodes of a tree for which the expression is true (XML Signature 1.1 section 6.6.3).
    func nodes(of tree: XMLTree) throws(XMLSignatureError) -> Set<NodeSelection.Node> {
        try evaluate("(//. | //@* | //namespace::*)[boolean(\(expression))]", in: tree)
    }

    /// Returns the nodes that the expression selects, and their descendants (XML-Signature XPath Filter 2.0
    /// section 3.4).
    func subtrees(of tree: XMLTree) throws(XMLSignatureError) -> Set<NodeSelection.Node> {
        let text = "(\(expression))"
        return try evaluate(
            "\(text)/descendant-or-self::node() | \(text)//@* | \(text)/@* | \(text)/descendant-or-self::*/namespace::* | \(text)",
            in: tree)
    }

    private func evaluate(_ text: String, in tree: XMLTree) throws(XMLSignatureError) -> Set<NodeSelection.Node> {
        guard text.utf8.count <= 10_000, let context = xmlXPathNewContext(tree.pointer) else {
            throw .malformedXPath(line: place.line)
        }
        defer { xmlXPathFreeContext(context) }
        context.pointee.opLimit = Self.maximumStepCount
        context.pointee.here = place.pointer
        context.pointee.node = UnsafeMutableRawPointer(tree.pointer).assumingMemoryBound(to: xmlNode.self)
        // Without an error handler, libxml2 prints errors.
        context.pointee.error = { _, _ in }
        for (prefix, uri) in place.namespaces where !prefix.isEmpty { xmlXPathRegisterNs(context, prefix, uri) }
        xmlXPathRegisterFunc(context, "here") { context, count in
            guard let context else { return }
            guard count == 0, let here = context.pointee.context?.pointee.here else {
                return xmlXPathErr(context, CInt(bitPattern: XPATH_INVALID_ARITY.rawValue))
            }
            valuePush(context, xmlXPathNewNodeSet(here))
        }
        // An unbalanced parenthesis in the expression could end the expression into which it is inserted.
        guard let compiled = silencingLibXML({ xmlXPathCtxtCompile(context, expression) }) else {
            throw .malformedXPath(line: place.line)
        }
        xmlXPathFreeCompExpr(compiled)
        guard let result = silencingLibXML({ xmlXPathEval(text, context) }) else {
            throw .malformedXPath(line: place.line)
        }
        defer { xmlXPathFreeObject(result) }
        guard result.pointee.type == XPATH_NODESET else { throw .malformedXPath(line: place.line) }
        guard let set = result.pointee.nodesetval?.pointee else { return [] }
        var nodes = Set<NodeSelection.Node>(minimumCapacity: Int(set.nodeNr))
        for index in 0..<Int(set.nodeNr) {
            guard let node = set.nodeTab[index] else { continue }
            nodes.insert(Self.key(of: node))
        }
        return nodes
    }

    /// Returns the key of a node; libxml2 returns a namespace as a copy that refers to its element.
    private static func key(of node: xmlNodePtr) -> NodeSelection.Node {
        guard node.pointee.type == XML_NAMESPACE_DECL else { return .node(UnsafeMutableRawPointer(node)) }
        let namespace = UnsafeMutableRawPointer(node).assumingMemoryBound(to: xmlNs.self).pointee
        let prefix = namespace.prefix.map { String(cString: $0) } ?? ""
        guard let parent = namespace.next else { return .node(UnsafeMutableRawPointer(node)) }
        return .namespace(prefix: prefix, of: UnsafeMutableRawPointer(parent))
    }
}

/// Determines which nodes are selected; nodes should be passed in document order.
final class NodeFilter {
    private let selection: NodeSelection
    private var parent: xmlNodePtr?
    private var isParentWithin = false

    init(_ selection: NodeSelection) { self.selection = selection }

    /// Returns whether a node is selected; libxml2 passes a namespace as if it were a node.
    func contains(_ node: xmlNodePtr, parent: xmlNodePtr?) -> Bool {
        let type = node.pointee.type
        let isElement = type == XML_ELEMENT_NODE
        guard isElement ? isWithin(node) : isWithin(childOf: parent, node) else { return false }
        guard !selection.filters.isEmpty else { return true }
        let key: NodeSelection.Node
        if type == XML_NAMESPACE_DECL {
            let prefix = UnsafeMutableRawPointer(node).assumingMemoryBound(to: xmlNs.self).pointee.prefix
            guard let parent else { return false }
            key = .namespace(prefix: prefix.map { String(cString: $0) } ?? "", of: UnsafeMutableRawPointer(parent))
        } else {
            key = .node(UnsafeMutableRawPointer(node))
        }
        return selection.filters.allSatisfy { $0.contains(key) }
    }

    private func isWithin(childOf parent: xmlNodePtr?, _ node: xmlNodePtr) -> Bool {
        guard let parent, parent.pointee.type == XML_ELEMENT_NODE else { return selection.top == nil }
        if parent != self.parent { (self.parent, isParentWithin) = (parent, isWithin(parent)) }
        return isParentWithin
    }

    private func isWithin(_ element: xmlNodePtr) -> Bool {
        var isBelowTop = selection.top == nil
        var ancestor: xmlNodePtr? = element
        while let current = ancestor {
            if selection.excludedElements.contains(where: { $0.pointer == current }) { return false }
            if current == selection.top?.pointer {
                isBelowTop = true
                if selection.excludedElements.isEmpty { return true }
            }
            ancestor = current.pointee.parent
        }
        return isBelowTop
    }
}

extension NodeSelection {
    /// The text of the selected nodes, without tags.
    var text: String {
        let filter = NodeFilter(self)
        var texts: [String] = []
        (top ?? tree.root).forEach { element in
            var node = element.pointer.pointee.children
            while let current = node {
                let isText = [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(current.pointee.type)
                if isText, filter.contains(current, parent: element.pointer), let content = current.pointee.content {
                    texts.append(String(cString: content))
                }
                node = current.pointee.next
            }
        }
        return texts.joined()
    }
}
