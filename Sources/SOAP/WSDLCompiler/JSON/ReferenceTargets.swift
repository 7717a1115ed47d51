// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// The elements of a Body that others refer to by an identifier (SOAP 1.1 section 5.4.1, SOAP 1.2 Part 2 section 3.1.5).
///
/// The growth of a small message by many references to one element is bounded by the number of references and by the size of their targets,
/// which are known before anything is read.
struct ReferenceTargets {
    private var targets: [String: XMLElement] = [:]
    /// The references that a target holds, each followed, and the size of what they reach.
    private var reached: [String: (count: Int, size: Int)] = [:]

    /// How many references are followed in all.
    static let most = 10_000
    /// How large all targets may be, each counted as often as it is read.
    private static let maximumSize = 64 << 20
    /// The maximum number of targets that hold one another.
    private static let maximumDepth = 200

    /// Finds the targets in a Body, and checks the references that the read elements hold.
    ///
    /// - Throws: ``ValueProblem/circularReference(id:)`` and ``ValueProblem/tooManyReferences(most:)``, at the path `$`.
    init(in body: XMLElement, reading elements: [XMLElement]) throws(WSDLCompilerError) {
        var targets: [String: XMLElement] = [:]
        body.forEach { element in
            for id in [element.attribute("id", in: ""), element.attribute("id", in: XMLNamespace.encoding12)] {
                if let id, targets[id] == nil { targets[id] = element }
            }
        }
        self.targets = targets
        for element in elements { _ = try reach(of: element, within: []) }
    }

    /// The target of an element's reference; `nil` if the element has none, or one to nothing.
    func target(of element: XMLElement) -> XMLElement? { XMLReferences.reference(of: element).flatMap { targets[$0] } }

    /// The identifier that an element refers to and that no element has.
    func missing(for element: XMLElement) -> String? {
        XMLReferences.reference(of: element).flatMap { targets[$0] == nil ? $0 : nil }
    }

    private mutating func reach(
        of element: XMLElement, within active: [String]
    ) throws(WSDLCompilerError) -> (count: Int, size: Int) {
        var ids: [String] = []
        element.forEach { element in
            if let id = XMLReferences.reference(of: element), targets[id] != nil { ids.append(id) }
        }
        var sum = (count: 0, size: 0)
        for id in ids {
            guard !active.contains(id) else { throw .value(path: "$", .circularReference(id: id)) }
            guard let target = targets[id], active.count < Self.maximumDepth else { throw Self.tooMany }
            let inner = if let known = reached[id] { known } else { try reach(of: target, within: active + [id]) }
            reached[id] = inner
            sum.count += 1 + inner.count
            sum.size += Self.size(of: target) + inner.size
            guard sum.count <= Self.most, sum.size <= Self.maximumSize else { throw Self.tooMany }
        }
        return sum
    }

    private static var tooMany: WSDLCompilerError { .value(path: "$", .tooManyReferences(most: most)) }

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
