// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a document is not read or changed.
public enum XMLDocumentError: Error, Hashable, Sendable {
    /// The document is not well-formed XML 1.0. The line counts from 1; the problem is libxml2's description.
    case malformed(line: Int, problem: String)
    /// The document has a document type (DOCTYPE), which the limits do not allow.
    case documentType
    /// The document type declares an entity that is outside of the document.
    case externalEntity
    /// The document has more bytes than the limit.
    case tooLarge(mostBytes: Int)
    /// Elements are nested deeper than the limit.
    case tooDeep(depth: Int)
    /// An element has more attributes and declarations of namespaces than the limit.
    case tooManyAttributes(most: Int)
    /// An element and those around it declare more namespaces than the limit.
    case tooManyNamespaces(most: Int)
    /// There is not enough memory for the document.
    case outOfMemory
    /// The document has no element at this path, or more than one; the path begins with the root element.
    case noElement(path: [XMLName])
}
