// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// A reference to a component that no document declares.
public struct UnresolvedReference: Hashable, Sendable {
    /// The kind of the component that the reference names.
    public var kind: ComponentKind
    /// The name in the reference.
    public var name: XMLName
    /// The most similar declared name; `nil` if none is similar.
    public var nearest: XMLName?
    /// The place of the reference.
    public var location: SourceLocation

    /// Creates a reference from its parts.
    public init(kind: ComponentKind, name: XMLName, nearest: XMLName? = nil, location: SourceLocation) {
        (self.kind, self.name, self.nearest, self.location) = (kind, name, nearest, location)
    }
}

extension UnresolvedReference: CustomStringConvertible {
    /// The location, the name and the nearest declared name, in one line.
    public var description: String {
        let hint = nearest.map { "; \($0) is similar" } ?? ""
        return "\(location): there is no \(kind.rawValue) \(name)\(hint)"
    }
}

/// The kind of a named component (WSDL 1.1 section 2.1, XML Schema Part 1 section 2.2).
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
    /// An attribute group.
    case attributeGroup = "attribute group"
    /// A WSDL message.
    case message
    /// A message part.
    case part
    /// A WSDL port type.
    case portType = "port type"
    /// An operation of a port type.
    case operation
    /// A WSDL binding.
    case binding
}

/// An imported or included document that was not read.
public struct MissingDocument: Hashable, Sendable {
    /// The reason why a document was not read.
    public enum Cause: Hashable, Sendable {
        /// The document is on another host, and the options do not allow that.
        case remote
        /// The document is a local file, and the referring document was fetched over a network.
        case local
        /// The source failed to get the document; the associated value describes the problem.
        case source(problem: String)
    }

    /// The document's URL or path, resolved against that of the referring document.
    public var document: String
    /// The namespace of the import; `nil` if it declares none.
    public var namespace: String?
    /// The location of the import.
    public var location: SourceLocation
    /// The reason why the document was not read.
    public var cause: Cause

    /// Creates a missing document from its parts.
    public init(document: String, namespace: String?, location: SourceLocation, cause: Cause) {
        (self.document, self.namespace, self.location, self.cause) = (document, namespace, location, cause)
    }
}

extension MissingDocument: CustomStringConvertible {
    /// The location, the document and the cause, in one line.
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

/// A location in a document, for messages.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The document's URL or path, as given to the compiler.
    public var document: String
    /// The line number, from 1.
    ///
    /// Lines from 65,535 on are all reported as 65,535.
    public var line: Int

    /// Creates a location from its parts.
    public init(document: String, line: Int) { (self.document, self.line) = (document, line) }

    /// The location as `document:line`.
    public var description: String { "\(document):\(line)" }
}
