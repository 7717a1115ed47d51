// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The elements that a wildcard of a schema (`xs:any`) accepts, by their namespaces (XML Schema Part 1 section 3.10).
public enum XMLWildcard: Hashable, Sendable {
    /// Elements of all namespaces, and of none (`##any`).
    case any
    /// Elements of every namespace except this one, but none without a namespace (`##other`).
    case other(than: String)
    /// Elements of these namespaces; an empty string stands for no namespace.
    case only([String])

    /// Returns whether the wildcard accepts elements of a namespace; an empty string stands for no namespace.
    public func takes(_ namespace: String) -> Bool {
        switch self {
        case .any: true
        case .other(let target): !namespace.isEmpty && namespace != target
        case .only(let namespaces): namespaces.contains(namespace)
        }
    }
}
