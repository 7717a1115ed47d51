// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A reference to a component that no document declares.
public struct UnresolvedReference: Hashable, Sendable {
    /// What kind of component the reference is to.
    public var kind: ComponentKind
    /// The name that the reference has.
    public var name: XMLName
    /// The declared name that is most like it, if one is.
    public var nearest: XMLName?
    /// Where the reference is.
    public var location: SourceLocation

    /// A reference by its parts.
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
