// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import XMLDocuments

/// The elements of a message that others refer to by an identifier (SOAP 1.1 section 5.4.1, SOAP 1.2 Part 2 section 3.1.5).
///
/// A reader follows a reference where it enters an element, so that nothing of the document is copied. What many references to one element
/// can make of a small message is bounded by the number of references that are followed, and of the elements that they lead to.
package struct XMLReferences {
    private let targets: [String: XMLElement]
    private let most: Int
    private var followed = 0
    /// How many elements the targets held that were read.
    private var reached = 0
    private var sizes: [String: Int] = [:]
    /// The identifiers of the targets that are being read.
    private var active: [String] = []

    /// Finds the targets in a document.
    ///
    /// - Parameters:
    ///   - tree: The document.
    ///   - most: How many references are followed in all; 10,000 by default. They lead to 100 times as many elements at most.
    /// - Throws: ``XMLValueError/repeatedIdentifier(_:at:)``.
    package init(in tree: XMLTree, following most: Int = 10_000) throws(XMLValueError) {
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
        (self.targets, self.most) = (targets, most)
    }

    /// How many targets are being read.
    var depth: Int { active.count }

    /// Follows the reference of an element, and that of its target.
    ///
    /// - Returns: The last target; the element itself where it has no reference.
    mutating func enter(_ element: XMLElement) throws(XMLValueError) -> XMLElement {
        var element = element
        while let id = Self.reference(of: element) {
            guard let target = targets[id] else { throw .missingReference(id, at: element.place) }
            guard !active.contains(id) else { throw .circularReference(id, at: element.place) }
            followed += 1
            reached += size(of: target, named: id)
            guard followed <= most, reached <= most * 100 else {
                throw .tooManyReferences(most: most, at: element.place)
            }
            active.append(id)
            element = target
        }
        return element
    }

    /// How many elements there are in a target, and itself.
    private mutating func size(of target: XMLElement, named id: String) -> Int {
        if let size = sizes[id] { return size }
        var size = 0
        target.forEach { _ in size += 1 }
        sizes[id] = size
        return size
    }

    /// Ends the reading of all targets but the first ones.
    mutating func leave(to depth: Int) { active.removeLast(active.count - depth) }

    /// The identifier that an element refers to.
    package static func reference(of element: XMLElement) -> String? {
        guard element.hasAttributes else { return nil }
        if let href = element.attribute("href", in: ""), href.hasPrefix("#") { return String(href.dropFirst()) }
        return element.attribute("ref", in: XMLNamespace.encoding12)
    }
}
