// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A queue of limited length, in which a new element replaces the oldest one.
struct BoundedQueue<Element> {
    private let limit: Int
    private var elements: [Element] = []
    /// The index of the oldest element, once the queue is full.
    private var first = 0

    init(limit: Int) { self.limit = limit }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    mutating func append(_ element: Element) {
        guard elements.count == limit else { return elements.append(element) }
        elements[first] = element
        first = (first + 1) % limit
    }

    /// Empties the queue.
    ///
    /// - Returns: The elements, oldest first.
    mutating func takeAll() -> [Element] {
        defer { (elements, first) = ([], 0) }
        return first == 0 ? elements : Array(elements[first...] + elements[..<first])
    }
}

extension BoundedQueue: Sendable where Element: Sendable {}
