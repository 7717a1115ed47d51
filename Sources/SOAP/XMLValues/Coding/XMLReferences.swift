// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The elements that others refer to by an identifier (SOAP 1.1 section 5.4.1, SOAP 1.2 Part 2 section 3.1.5).
///
/// A reader follows a reference when it enters an element, so that nothing of the document is copied. Limits on the
/// number of followed references and on the elements in their targets bound how far a small message can expand by many
/// references to one element.
package struct XMLReferences {
    private let targets: [String: XMLElement]
    private let limit: Int
    private var followed = 0
    /// The number of elements in all targets that were read.
    private var reached = 0
    private var sizes: [String: Int] = [:]
    /// The identifiers of the targets that are being read.
    private var active: [String] = []

    /// Finds the targets in a document.
    ///
    /// - Parameters:
    ///   - tree: The document.
    ///   - limit: The maximum number of references to follow; 10,000 by default. Their targets may contain 100 times as
    ///     many elements in total.
    /// - Throws: ``XMLValueError/repeatedIdentifier(_:at:)``.
    package init(in tree: XMLTree, following limit: Int = 10_000) throws(XMLValueError) {
        var targets: [String: XMLElement] = [:]
        var repeated: (id: String, element: XMLElement)?
        tree.root.forEach { element in
            guard element.hasAttributes else { return }
            for id in [element.attribute("id", in: ""), element.attribute("id", in: XMLNamespace.encoding12)] {
                guard let id else { continue }
                if targets.updateValue(element, forKey: id) != nil, repeated == nil { repeated = (id, element) }
            }
        }
        if let repeated { throw .repeatedIdentifier(repeated.id, at: repeated.element.place) }
        (self.targets, self.limit) = (targets, limit)
    }

    /// The number of targets that are being read.
    var depth: Int { active.count }

    /// Follows the reference of an element, and any reference of its target.
    ///
    /// - Returns: The final target; the element itself if it has no reference.
    mutating func enter(_ element: XMLElement) throws(XMLValueError) -> XMLElement {
        var element = element
        while let id = Self.reference(of: element) {
            guard let target = targets[id] else { throw .missingReference(id, at: element.place) }
            guard !active.contains(id) else { throw .circularReference(id, at: element.place) }
            followed += 1
            reached += size(of: target, named: id)
            guard followed <= limit, reached <= limit * 100 else {
                throw .tooManyReferences(limit: limit, at: element.place)
            }
            active.append(id)
            element = target
        }
        return element
    }

    /// Returns the number of elements in a target, including the target itself.
    private mutating func size(of target: XMLElement, named id: String) -> Int {
        if let size = sizes[id] { return size }
        var size = 0
        target.forEach { _ in size += 1 }
        sizes[id] = size
        return size
    }

    /// Ends the reading of the most recent targets, down to the given depth.
    mutating func leave(to depth: Int) { active.removeLast(active.count - depth) }

    /// Returns the identifier that an element refers to; `nil` if it has no reference.
    package static func reference(of element: XMLElement) -> String? {
        guard element.hasAttributes else { return nil }
        if let href = element.attribute("href", in: ""), href.hasPrefix("#") { return String(href.dropFirst()) }
        return element.attribute("ref", in: XMLNamespace.encoding12)
    }
}
