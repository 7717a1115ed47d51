// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLValues

/// The elements of a Body that are referred to by identifier (SOAP 1.1 section 5.4.1, SOAP 1.2 Part 2 section 3.1.5).
///
/// Many references to one element could expand a small message enormously. The number of references and the total size
/// of their targets are limited, and both are known before decoding starts.
struct ReferenceTargets {
    private var targets: [String: XMLElement] = [:]
    /// The number of references inside a target, followed recursively, and the total size of their targets.
    private var reached: [String: (count: Int, size: Int)] = [:]

    /// The maximum number of references that are followed in a message.
    static let limit = 10_000
    /// The maximum total size of all targets, each counted as often as it is read.
    private static let maximumSize = 64 << 20
    /// The maximum nesting depth of targets.
    private static let maximumDepth = 200

    /// Finds the targets in a Body, and checks the references in the elements to be read.
    ///
    /// - Throws: ``ValueProblem/circularReference(id:)`` and ``ValueProblem/tooManyReferences(limit:)``, at the
    ///   path `$`.
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

    /// Returns the target of an element's reference; `nil` if the element has no reference or its target is missing.
    func target(of element: XMLElement) -> XMLElement? { XMLReferences.reference(of: element).flatMap { targets[$0] } }

    /// Returns the identifier of an element's reference if its target is missing; otherwise `nil`.
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
            guard sum.count <= Self.limit, sum.size <= Self.maximumSize else { throw Self.tooMany }
        }
        return sum
    }

    private static var tooMany: WSDLCompilerError { .value(path: "$", .tooManyReferences(limit: limit)) }

    /// Returns the approximate size of an element in memory in bytes, including its content.
    private static func size(of element: XMLElement) -> Int {
        var size = element.allText.utf8.count
        element.forEach { element in
            size += 64
            for attribute in element.attributes { size += 64 + attribute.value.utf8.count }
        }
        return size
    }
}
