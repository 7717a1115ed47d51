// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CXML2
import XMLDocuments

/// The child elements of an element that have not been read yet.
struct XMLCursor {
    /// Elements that can be read in any order.
    private struct Pool {
        /// The elements in document order; `nil` for those already read.
        private(set) var elements: [XMLElement?]
        /// The index at which a search starts.
        var start = 0
        /// The number of elements already read.
        private(set) var taken = 0
        private let indices: [XMLElement: Int]
        /// The indices of each name's elements in reverse order; the last index is always that of an unread element.
        private var named: [XMLName: [Int]]

        init(_ elements: [XMLElement]) {
            self.elements = elements
            indices = Dictionary(elements.enumerated().map { ($1, $0) }) { first, _ in first }
            named = Dictionary(grouping: elements.indices.reversed()) { elements[$0].name }
        }

        /// Returns the first unread element with the given name.
        func first(_ name: XMLName) -> XMLElement? { named[name]?.last.flatMap { elements[$0] } }

        /// Marks an element as read; within a group, the next search starts after it.
        mutating func take(_ element: XMLElement, inGroup: Bool) {
            guard let index = indices[element], elements[index] != nil else { return }
            elements[index] = nil
            taken += 1
            while let last = named[element.name]?.last, elements[last] == nil { named[element.name]?.removeLast() }
            if inGroup { start = index + 1 }
            // Leading read elements are skipped permanently, so that no search visits them again.
            while !inGroup, start < elements.count, elements[start] == nil { start += 1 }
        }
    }

    /// The first remaining node, while elements are read in order.
    private var node: xmlNodePtr?
    private var pool: Pool?
    /// Whether `find` also finds elements after the next one.
    private var isInAnyOrder = false
    /// Whether the reader is in a group, whose elements must be contiguous.
    private var isInGroup = false

    /// A cursor without elements.
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

    /// The cursor's progress, which changes whenever an element is read.
    var progress: (node: xmlNodePtr?, taken: Int) { (node, pool?.taken ?? 0) }

    /// The text before the next element, unless it is only white space.
    var textBeforeNext: String? { text { $0.pointee.type == XML_ELEMENT_NODE } }

    /// The first remaining text, unless it is only white space.
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

    /// Returns the element with the given name that may be read now; within a group, other elements may precede it only
    /// if `skipping` is `true`.
    func find(_ local: String, in namespace: String, skipping: Bool) -> XMLElement? {
        guard let pool, isInAnyOrder, skipping || !isInGroup else {
            return next.flatMap { $0.hasName(local, in: namespace) ? $0 : nil }
        }
        if !isInGroup { return pool.first(XMLName(local, in: namespace)) }
        return Self.first(in: pool) { $0.hasName(local, in: namespace) }?.element
    }

    /// Returns the element that may be read now and that the wildcard accepts.
    func find(_ wildcard: XMLWildcard) -> XMLElement? {
        guard let pool, isInAnyOrder, !isInGroup else {
            return next.flatMap { wildcard.accepts($0.namespace) ? $0 : nil }
        }
        return Self.first(in: pool) { wildcard.accepts($0.namespace) }?.element
    }

    /// Marks an element returned by `find` as read.
    mutating func take(_ element: XMLElement) {
        guard var pool = self.pool else {
            node = element.pointer.pointee.next
            return
        }
        self.pool = nil
        pool.take(element, inGroup: isInGroup)
        self.pool = pool
    }

    /// Allows elements to be read in any order.
    mutating func beginAnyOrder() {
        isInAnyOrder = true
        guard pool == nil else { return }
        let first = Self.element(from: node)
        pool = Pool(Array(sequence(first: first) { Self.element(from: $0?.pointer.pointee.next) }).compactMap(\.self))
        node = nil
    }

    /// Allows elements to be read in document order only.
    mutating func endAnyOrder() {
        isInAnyOrder = false
        pool?.start = 0
    }

    /// The indices at which a group may start; `nil` if it must start with the next element.
    var starts: Range<Int>? {
        guard let pool, isInAnyOrder, !isInGroup else { return nil }
        return pool.elements.indices
    }

    /// Returns a cursor whose next element is the one at an index; `nil` if that element was already read.
    func at(_ index: Int) -> XMLCursor? {
        guard let pool, pool.elements.indices.contains(index), pool.elements[index] != nil else { return nil }
        var cursor = self
        cursor.pool?.start = index
        cursor.isInGroup = true
        return cursor
    }

    /// Leaves a group: the next element is the first unread one.
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
