// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments

/// An expression of XPath 1.0 that a transform names, with what it may refer to.
struct XPathFilter {
    let expression: String
    /// The element that holds the expression: its namespaces apply, and `here()` is it.
    let place: XMLElement

    /// The most steps of an evaluation, in libxml2's count.
    private static let mostSteps: CUnsignedLong = 10_000_000

    /// The nodes of a tree for which the expression is true (XML Signature 1.1 section 6.6.3).
    func nodes(of tree: XMLTree) throws(XMLSignatureError) -> Set<NodeSelection.Node> {
        try evaluate("(//. | //@* | //namespace::*)[boolean(\(expression))]", in: tree)
    }

    /// The nodes that the expression selects (XML-Signature XPath Filter 2.0 section 3.4).
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
        context.pointee.opLimit = Self.mostSteps
        context.pointee.here = place.pointer
        context.pointee.node = UnsafeMutableRawPointer(tree.pointer).assumingMemoryBound(to: xmlNode.self)
        // Without a handler, a context prints its errors.
        context.pointee.error = { _, _ in }
        for (prefix, uri) in place.namespaces where !prefix.isEmpty { xmlXPathRegisterNs(context, prefix, uri) }
        xmlXPathRegisterFunc(context, "here") { context, count in
            guard let context else { return }
            guard count == 0, let here = context.pointee.context?.pointee.here else {
                return xmlXPathErr(context, CInt(bitPattern: XPATH_INVALID_ARITY.rawValue))
            }
            valuePush(context, xmlXPathNewNodeSet(here))
        }
        // An expression that is not whole could end what it stands in.
        guard let compiled = withoutMessages({ xmlXPathCtxtCompile(context, expression) }) else {
            throw .malformedXPath(line: place.line)
        }
        xmlXPathFreeCompExpr(compiled)
        guard let result = withoutMessages({ xmlXPathEval(text, context) }) else {
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

    /// In a result, a namespace is a copy that says where it is in scope.
    private static func key(of node: xmlNodePtr) -> NodeSelection.Node {
        guard node.pointee.type == XML_NAMESPACE_DECL else { return .node(UnsafeMutableRawPointer(node)) }
        let namespace = UnsafeMutableRawPointer(node).assumingMemoryBound(to: xmlNs.self).pointee
        let prefix = namespace.prefix.map { String(cString: $0) } ?? ""
        guard let parent = namespace.next else { return .node(UnsafeMutableRawPointer(node)) }
        return .namespace(prefix: prefix, of: UnsafeMutableRawPointer(parent))
    }
}

/// Says which nodes are selected, in the order in which a document is walked.
final class NodeFilter {
    private let selection: NodeSelection
    private var parent: xmlNodePtr?
    private var isParentWithin = false

    init(_ selection: NodeSelection) { self.selection = selection }

    /// libxml2 gives a namespace as if it was a node.
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
            if selection.withoutElements.contains(where: { $0.pointer == current }) { return false }
            if current == selection.top?.pointer {
                isBelowTop = true
                if selection.withoutElements.isEmpty { return true }
            }
            ancestor = current.pointee.parent
        }
        return isBelowTop
    }
}

extension NodeSelection {
    /// Its text, without tags.
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
