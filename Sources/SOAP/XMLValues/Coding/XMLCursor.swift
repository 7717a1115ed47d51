// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
import XMLDocuments

/// The elements of an element that are not taken yet.
struct XMLCursor {
    /// Elements that can be taken in any order.
    private struct Pool {
        /// In the document's order; `nil` where one is taken.
        private(set) var elements: [XMLElement?]
        /// Where the search begins.
        var start = 0
        /// How many are taken.
        private(set) var taken = 0
        private let indices: [XMLElement: Int]
        /// The indices of each name's elements, the first one last; the last of each is not taken.
        private var named: [XMLName: [Int]]

        init(_ elements: [XMLElement]) {
            self.elements = elements
            indices = Dictionary(elements.enumerated().map { ($1, $0) }) { first, _ in first }
            named = Dictionary(grouping: elements.indices.reversed()) { elements[$0].name }
        }

        /// The first element of a name.
        func first(_ name: XMLName) -> XMLElement? { named[name]?.last.flatMap { elements[$0] } }

        /// Takes an element; a group goes on after it.
        mutating func take(_ element: XMLElement, inGroup: Bool) {
            guard let index = indices[element], elements[index] != nil else { return }
            elements[index] = nil
            taken += 1
            while let last = named[element.name]?.last, elements[last] == nil { named[element.name]?.removeLast() }
            if inGroup { start = index + 1 }
            // The first elements are passed for good, so that each search does not begin with them again.
            while !inGroup, start < elements.count, elements[start] == nil { start += 1 }
        }
    }

    /// The first node that was not passed, while elements are taken in order.
    private var node: xmlNodePtr?
    private var pool: Pool?
    /// Whether `find` finds other elements than the next.
    private var isInAnyOrder = false
    /// Whether a group is read, whose elements stand together.
    private var isInGroup = false

    /// No elements.
    static var end: XMLCursor { XMLCursor() }

    private init() {}

    init(_ element: XMLElement, inAnyOrder: Bool) {
        node = element.pointer.pointee.children
        if inAnyOrder { beginAnyOrder() }
    }

    /// The next element.
    var next: XMLElement? {
        guard let pool else { return Self.element(from: node) }
        return Self.first(in: pool) { _ in true }?.element
    }

    /// How far it is: this changes where an element is taken.
    var progress: (node: xmlNodePtr?, taken: Int) { (node, pool?.taken ?? 0) }

    /// The text before the next element, if it is anything but white space.
    var textBeforeNext: String? { text { $0.pointee.type == XML_ELEMENT_NODE } }

    /// A text after this place, if it is anything but white space.
    var textBeforeEnd: String? { text { _ in false } }

    private func text(until isEnd: (xmlNodePtr) -> Bool) -> String? {
        var current = node
        while let node = current, !isEnd(node) {
            let isText = [XML_TEXT_NODE, XML_CDATA_SECTION_NODE].contains(node.pointee.type)
            if isText, var position = node.pointee.content {
                while position.pointee.isXMLSpace { position += 1 }
                if position.pointee != 0 { return String(cString: position) }
            }
            current = node.pointee.next
        }
        return nil
    }

    /// The element of a name that can be taken now; within a group an other may stand before it only when `skipping`.
    func find(_ local: String, in namespace: String, skipping: Bool) -> XMLElement? {
        guard let pool, isInAnyOrder, skipping || !isInGroup else {
            return next.flatMap { $0.hasName(local, in: namespace) ? $0 : nil }
        }
        if !isInGroup { return pool.first(XMLName(local, in: namespace)) }
        return Self.first(in: pool) { $0.hasName(local, in: namespace) }?.element
    }

    /// The element of a wildcard's namespace that can be taken now.
    func find(_ wildcard: XMLWildcard) -> XMLElement? {
        guard let pool, isInAnyOrder, !isInGroup else {
            return next.flatMap { wildcard.takes($0.namespace) ? $0 : nil }
        }
        return Self.first(in: pool) { wildcard.takes($0.namespace) }?.element
    }

    /// Takes an element that was found.
    mutating func take(_ element: XMLElement) {
        guard var pool = self.pool else {
            node = element.pointer.pointee.next
            return
        }
        self.pool = nil
        pool.take(element, inGroup: isInGroup)
        self.pool = pool
    }

    /// Lets elements be taken in any order.
    mutating func beginAnyOrder() {
        isInAnyOrder = true
        guard pool == nil else { return }
        let first = Self.element(from: node)
        pool = Pool(Array(sequence(first: first) { Self.element(from: $0?.pointer.pointee.next) }).compactMap(\.self))
        node = nil
    }

    /// Lets elements be taken in their order only.
    mutating func endAnyOrder() {
        isInAnyOrder = false
        pool?.start = 0
    }

    /// The places from which a group can begin; `nil` where it has to begin with the next element.
    var starts: Range<Int>? {
        guard let pool, isInAnyOrder, !isInGroup else { return nil }
        return pool.elements.indices
    }

    /// A cursor whose next element is the one at a place; `nil` where that is taken.
    func at(_ index: Int) -> XMLCursor? {
        guard let pool, pool.elements.indices.contains(index), pool.elements[index] != nil else { return nil }
        var cursor = self
        cursor.pool?.start = index
        cursor.isInGroup = true
        return cursor
    }

    /// Leaves a group: the next element is the first that is not taken.
    mutating func leaveGroup() {
        isInGroup = false
        pool?.start = 0
    }

    private static func first(
        in pool: Pool, where matches: (XMLElement) -> Bool
    ) -> (index: Int, element: XMLElement)? {
        let start = min(pool.start, pool.elements.count)
        for index in [start..<pool.elements.count, 0..<start].joined() {
            if let element = pool.elements[index], matches(element) { return (index, element) }
        }
        return nil
    }

    private static func element(from node: xmlNodePtr?) -> XMLElement? {
        var current = node
        while let node = current {
            if let element = XMLElement(node) { return element }
            current = node.pointee.next
        }
        return nil
    }
}
