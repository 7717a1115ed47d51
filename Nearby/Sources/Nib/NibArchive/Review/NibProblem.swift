// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An unusual finding in a readable nib.
public enum NibProblem: Hashable, Sendable, CustomStringConvertible {
    /// The object cannot be reached from the root.
    case unreachable(NibReference, className: String)
    /// A connection has no source.
    case noSource(className: String, label: String)
    /// An outlet has no destination.
    case noDestination(className: String, label: String)
    /// A connection has no name.
    case noLabel(className: String)
    /// Writing the file does not reproduce the same bytes. Holds the offset of the first different byte.
    case bytesMismatch(offset: Int)

    /// The problem as a sentence.
    public var description: String {
        switch self {
        case .unreachable(let object, let name): "Nothing leads to object \(object.index), a \(name)."
        case .noSource(let name, let label): "The \(name) \"\(label)\" has no source."
        case .noDestination(let name, let label): "The \(name) \"\(label)\" has no destination."
        case .noLabel(let name): "A \(name) has no label."
        case .bytesMismatch(let offset): "Written again, the file has another byte at \(offset)."
        }
    }
}

extension Nib {
    /// Returns the unusual findings in the nib.
    ///
    /// - Parameter bytes: The file that the nib was read from; a NIBArchive is compared with ``nibArchive``.
    /// - Returns: The problems; empty if there are none.
    public func problems(in bytes: [UInt8]) -> [NibProblem] {
        var problems = unreachable
        for connection in connections {
            let name = className(of: connection.connector)
            switch connection.kind {
            case .other: continue
            case .outlet, .outletCollection:
                if connection.destinations.isEmpty {
                    problems.append(.noDestination(className: name, label: connection.label))
                }
            case .action, .binding, .runtimeAttribute, .accessibility: break
            }
            if connection.source == nil { problems.append(.noSource(className: name, label: connection.label)) }
            if connection.label.isEmpty { problems.append(.noLabel(className: name)) }
        }
        if case .nibArchive = encoding {
            let written = nibArchive
            if written != bytes {
                let offset = zip(written, bytes).enumerated().first { $1.0 != $1.1 }?.offset
                problems.append(.bytesMismatch(offset: offset ?? min(written.count, bytes.count)))
            }
        }
        return problems
    }

    private var unreachable: [NibProblem] {
        // The objects of Interface Builder's own XML need not refer to each other.
        guard encoding != .designableXML, let root = references.first else { return [] }
        var seen: Set = [root]
        var queue = [root]
        while let object = queue.popLast() {
            for (_, value) in entries(of: object) {
                if case .object(let next) = value, seen.insert(next).inserted { queue.append(next) }
            }
        }
        return references.filter { !seen.contains($0) }.map { .unreachable($0, className: className(of: $0)) }
    }
}
