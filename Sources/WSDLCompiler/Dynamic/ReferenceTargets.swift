// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The elements of a Body that others refer to by `href` (SOAP 1.1 section 5.4.1), and how much was read by references.
///
/// What many references to one element can make of a small message is bounded by their number and by the size of what they reach.
final class ReferenceTargets {
    private let targets: [String: XMLElement]
    private var followed = 0
    private var size = 0
    /// The identifiers of the targets that are being read.
    private var active: [String] = []

    /// How many references are followed in all.
    static let most = 10_000
    /// How large all targets may be, each counted as often as it is read.
    private static let mostSize = 64 << 20

    init(in body: XMLElement) {
        var targets: [String: XMLElement] = [:]
        for element in body.children {
            if let id = element.attribute("id", in: ""), targets[id] == nil { targets[id] = element }
        }
        self.targets = targets
    }

    /// Reads the target of an element's reference; `nil` where the element has none.
    func follow<Value>(
        _ element: XMLElement, at path: String, _ body: (XMLElement) throws(WSDLCompilerError) -> Value
    ) throws(WSDLCompilerError) -> Value? {
        guard let href = element.attribute("href", in: ""), href.hasPrefix("#") else { return nil }
        let id = String(href.dropFirst())
        guard let target = targets[id] else { return nil }
        guard !active.contains(id) else { throw .value(path: path, .circularReference(id: id)) }
        followed += 1
        size += Self.size(of: target)
        guard followed <= Self.most, size <= Self.mostSize else {
            throw .value(path: path, .tooManyReferences(most: Self.most))
        }
        active.append(id)
        defer { active.removeLast() }
        return try body(target)
    }

    /// About the bytes that an element becomes in memory, with all that it holds.
    private static func size(of element: XMLElement) -> Int {
        var size = element.allText.utf8.count
        element.forEach { element in
            size += 64
            for attribute in element.attributes { size += 64 + attribute.value.utf8.count }
        }
        return size
    }
}
