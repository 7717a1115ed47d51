// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The limits of a document's size and structure, and the features that it may use.
public struct XMLLimits: Hashable, Sendable {
    /// The maximum number of bytes in a document; 64 MiB by default, and 2 GiB at most.
    public var maximumByteCount = 64 << 20
    /// The maximum nesting depth of elements; 256 by default, and 2,000 at most.
    public var depth = 256
    /// The maximum number of attributes of an element; 1,000 by default.
    public var maximumAttributeCount = 1_000
    /// The maximum number of namespaces that an element and its ancestors declare together; 500 by default.
    public var maximumNamespaceCount = 500
    /// Whether a document may have a document type with internal entities and attributes; `false` by default.
    ///
    /// Modern signed messages have no document type, and SOAP forbids one. External entities are always refused. For a
    /// document type, libxml2's stricter limits also apply, such as a depth of 256 and 10,000,000 bytes in one text.
    public var allowsDocumentType = false
    /// Whether names may have undeclared prefixes; `false` by default.
    ///
    /// Such a name has no namespace, and its local part includes the prefix and the colon.
    public var allowsUndeclaredPrefixes = false

    /// Creates the default limits.
    public init() {}
}
