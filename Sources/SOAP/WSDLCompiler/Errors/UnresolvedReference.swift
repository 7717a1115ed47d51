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

/// The kind of a component that others refer to by name (WSDL 1.1 section 2.1, XML Schema Part 1 section 2.2).
///
/// The raw value is its English name.
public enum ComponentKind: String, Hashable, Sendable {
    /// A simple or complex type.
    case type
    /// A global element.
    case element
    /// A global attribute.
    case attribute
    /// A model group.
    case group
    /// A group of attributes.
    case attributeGroup = "attribute group"
    /// A message of WSDL.
    case message
    /// A part of a message.
    case part
    /// A port type of WSDL.
    case portType = "port type"
    /// An operation of a port type.
    case operation
    /// A binding of WSDL.
    case binding
}

/// A document that an import or include names and that was not read.
public struct MissingDocument: Hashable, Sendable {
    /// The reason why a document was not read.
    public enum Cause: Hashable, Sendable {
        /// The document is on another host, and the options do not allow that.
        case remote
        /// The document is a file of this machine, and the one that names it came over a network.
        case local
        /// The source failed to get the document, for the problem that it describes.
        case source(problem: String)
    }

    /// The document's URL or path, resolved against that of the document that names it.
    public var document: String
    /// The namespace that the import names; `nil` where it names none.
    public var namespace: String?
    /// The place of the import.
    public var location: SourceLocation
    /// The reason why the document was not read.
    public var cause: Cause

    /// Creates a missing document from its parts.
    public init(document: String, namespace: String?, location: SourceLocation, cause: Cause) {
        (self.document, self.namespace, self.location, self.cause) = (document, namespace, location, cause)
    }
}

extension MissingDocument: CustomStringConvertible {
    /// The place, the document and the cause, in one line.
    public var description: String {
        let cause =
            switch cause {
            case .remote: "it is remote"
            case .local: "it is a local file, named by a remote document"
            case .source(let problem): problem.isEmpty ? "it cannot be read" : problem
            }
        return "\(location): \(document) (\(cause))"
    }
}

/// A place in a document, for messages.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The document's URL or path, as the reader was given it.
    public var document: String
    /// The line, from 1.
    ///
    /// Lines from 65,535 on are all reported as 65,535.
    public var line: Int

    /// Creates a place from its parts.
    public init(document: String, line: Int) { (self.document, self.line) = (document, line) }

    /// The place as `document:line`.
    public var description: String { "\(document):\(line)" }
}
