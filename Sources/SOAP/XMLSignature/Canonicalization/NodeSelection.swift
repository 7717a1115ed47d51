// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2
internal import XMLDocuments

/// Nodes of a tree: all of it or what lies below one element, without what transforms left out.
struct NodeSelection {
    let tree: XMLTree
    /// `nil` for the whole document.
    var top: XMLElement?
    /// Whether comments belong to it (XML Signature 1.1 section 4.4.3.3).
    var hasComments: Bool
    /// Elements that are left out with all below them.
    var withoutElements: [XMLElement] = []
    /// What each XPath filter has left; a node is in all of them.
    var filters: [Set<Node>] = []

    /// A node by itself, or a namespace by the element where it is in scope.
    enum Node: Hashable {
        case node(UnsafeMutableRawPointer)
        case namespace(prefix: String, of: UnsafeMutableRawPointer)
    }

    /// Whether nothing of the document but comments is left out.
    var isWhole: Bool { top == nil && withoutElements.isEmpty && filters.isEmpty }

    /// Whether elements around it have attributes such as `xml:lang`, which an inclusive method puts into it.
    var inheritsAttributes: Bool {
        guard let top else { return false }
        return sequence(first: top, next: \.parent).dropFirst().contains { element in
            element.attributes.contains { $0.name.namespace == "http://www.w3.org/XML/1998/namespace" }
        }
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
