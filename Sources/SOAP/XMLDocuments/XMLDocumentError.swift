// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error that occurs when an XML document is parsed or changed.
@nonexhaustive
public enum XMLDocumentError: Error, Hashable, Sendable {
    /// The document is not well-formed XML 1.0. Lines are counted from 1; the problem is libxml2's description.
    case malformed(line: Int, problem: String)
    /// The document has a document type (DOCTYPE), which the limits do not allow.
    case documentType
    /// The document type declares an external entity.
    case externalEntity
    /// The document is larger than the limit.
    case tooLarge(maximumByteCount: Int)
    /// Elements are nested deeper than the limit.
    case tooDeep(depth: Int)
    /// An element has more attributes and namespace declarations than the limit.
    case tooManyAttributes(limit: Int)
    /// An element and its ancestors declare more namespaces than the limit.
    case tooManyNamespaces(limit: Int)
    /// There is not enough memory for the document.
    case outOfMemory
    /// The document has no element at this path, or several. The path begins with the root element.
    case noElement(path: [XMLName])
}

extension XMLDocumentError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let line, let problem):
            ErrorExplanation(
                "xml.malformed", "The document is not well-formed: \(problem), line \(line).",
                reason: "Nothing is read from a document that XML 1.0 does not allow.",
                advice: "Correct the document, or check the program that created it.")
        case .documentType:
            ErrorExplanation(
                "xml.document-type", "The document has a document type (DOCTYPE).",
                reason:
                    "A document type can declare entities and attributes, which change the meaning of the document.",
                advice: "Remove the document type, or allow it in the limits for old documents of a known origin.")
        case .externalEntity:
            ErrorExplanation(
                "xml.external-entity", "The document declares an external entity.",
                reason: "Such entities let the author of a document make this program read files and send requests.",
                advice: "Put the entity's text into the document.")
        case .tooLarge(let limit):
            ErrorExplanation(
                "xml.too-large", "The document has more than \(limit) bytes.",
                reason: "A larger document is refused before it is parsed.",
                advice: "Raise maximumByteCount in the limits if documents are this large.")
        case .tooDeep(let depth):
            ErrorExplanation(
                "xml.too-deep", "Elements are nested deeper than \(depth).",
                reason: "Few documents need that, and it can exhaust a program that reads them.",
                advice: "Raise depth in the limits if such documents are expected.")
        case .tooManyAttributes(let limit):
            ErrorExplanation(
                "xml.too-many-attributes", "An element has more than \(limit) attributes and namespaces.",
                reason: "No known document needs that, and comparing them takes long.",
                advice: "Raise maximumAttributeCount in the limits if such documents are expected.")
        case .tooManyNamespaces(let limit):
            ErrorExplanation(
                "xml.too-many-namespaces", "An element and its ancestors declare more than \(limit) namespaces.",
                reason: "Finding the namespace of a name takes longer with each of them.",
                advice: "Raise maximumNamespaceCount in the limits if such documents are expected.")
        case .outOfMemory:
            ErrorExplanation(
                "xml.out-of-memory", "There is not enough memory for the document.",
                reason: "A document takes several times its size.", advice: "Lower maximumByteCount in the limits.")
        case .noElement(let path):
            ErrorExplanation(
                "xml.no-element", "There is no single element \(path.map(\.description).joined(separator: "/")).",
                reason: "A path leads to one element only.",
                advice: "Give the names from the document's element down, each with its namespace.")
        }
    }

    package static var examples: [Self] {
        [
            .malformed(line: 3, problem: "Opening and ending tag mismatch: a line 2 and b"), .documentType,
            .externalEntity, .tooLarge(maximumByteCount: 64 << 20), .tooDeep(depth: 256),
            .tooManyAttributes(limit: 1_000),
            .tooManyNamespaces(limit: 500),
            .outOfMemory, .noElement(path: [XMLName("Header", in: "http://schemas.xmlsoap.org/soap/envelope/")]),
        ]
    }
}
