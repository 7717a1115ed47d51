// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A reference to a component that no document declares.
public struct UnresolvedReference: Hashable, Sendable {
    /// The kind of the component that the reference names.
    public var kind: ComponentKind
    /// The name in the reference.
    public var name: XMLName
    /// The declared name that is most similar to it; `nil` where none is similar.
    public var nearest: XMLName?
    /// The place of the reference.
    public var location: SourceLocation

    /// Creates a reference from its parts.
    public init(kind: ComponentKind, name: XMLName, nearest: XMLName? = nil, location: SourceLocation) {
        (self.kind, self.name, self.nearest, self.location) = (kind, name, nearest, location)
    }
}

extension UnresolvedReference: CustomStringConvertible {
    /// The place, the name and the nearest one, in one line.
    public var description: String {
        let hint = nearest.map { "; \($0) is near" } ?? ""
        return "\(location): there is no \(kind.rawValue) \(name)\(hint)"
    }
}
