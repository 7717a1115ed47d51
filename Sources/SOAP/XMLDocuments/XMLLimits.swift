// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The limits of a document, and the features that it may use.
public struct XMLLimits: Hashable, Sendable {
    /// The most bytes of a document; 64 MiB by default, and 2 GiB at most.
    public var mostBytes = 64 << 20
    /// How deep elements may be nested; 256 by default, and 2,000 at most.
    public var depth = 256
    /// The most attributes of an element; 1,000 by default.
    public var mostAttributes = 1_000
    /// The most namespaces that an element and those around it declare together; 500 by default.
    public var mostNamespaces = 500
    /// Whether a document may have a document type with internal entities and attributes; `false` by default.
    ///
    /// Modern signed messages have none, and SOAP forbids it. External entities are refused even so. With a document type, libxml2's
    /// stricter limits apply too, such as a depth of 256 and 10,000,000 bytes of one text.
    public var allowsDocumentType = false
    /// Whether names may have prefixes that are not declared; `false` by default.
    ///
    /// Such a name is read as one without a namespace, whose local part has the prefix and the colon.
    public var allowsUndeclaredPrefixes = false

    /// Creates the default limits.
    public init() {}
}
