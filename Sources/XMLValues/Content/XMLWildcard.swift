// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which elements stand where a schema has `xs:any` (XML Schema Part 1 section 3.10).
public enum XMLWildcard: Hashable, Sendable {
    /// All elements (`##any`).
    case any
    /// Elements of any namespace but this one, and of none (`##other`).
    case other(than: String)
    /// Elements of these namespaces; an empty name is that of no namespace.
    case only([String])

    /// Whether it takes the elements of a namespace.
    public func takes(_ namespace: String) -> Bool {
        switch self {
        case .any: true
        case .other(let target): !namespace.isEmpty && namespace != target
        case .only(let namespaces): namespaces.contains(namespace)
        }
    }
}
