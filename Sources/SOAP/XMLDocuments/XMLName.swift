// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The name of an element or an attribute (Namespaces in XML 1.0).
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The URI of the namespace; empty for no namespace.
    public let namespace: String
    /// The local name, without a prefix.
    public let local: String

    /// Creates a name with a local part and a namespace; without a namespace by default.
    public init(_ local: String, in namespace: String = "") { (self.namespace, self.local) = (namespace, local) }

    /// The name as `{namespace}local`, or `local` if it has no namespace.
    public var description: String { namespace.isEmpty ? local : "{\(namespace)}\(local)" }
}
