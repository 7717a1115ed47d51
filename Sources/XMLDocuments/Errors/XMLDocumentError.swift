// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a document is not read.
public enum XMLDocumentError: Error, Hashable, Sendable {
    /// The document is not well-formed XML.
    case malformed(line: Int, problem: String)
    /// The document has a document type, which could change what it says.
    case documentType
    /// The document's type names an entity outside of the document.
    case externalEntity
    /// The document has more bytes than are read.
    case tooLarge(mostBytes: Int)
    /// Elements are nested deeper than is read.
    case tooDeep(depth: Int)
    /// An element has more attributes and namespaces than are read.
    case tooManyAttributes(most: Int)
    /// An element and those around it declare more namespaces than are read.
    case tooManyNamespaces(most: Int)
    /// There is not enough memory for the document.
    case outOfMemory
    /// The document has no element at a path, or more than one.
    case noElement(path: [XMLName])
}
