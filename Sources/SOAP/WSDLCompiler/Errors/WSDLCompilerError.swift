// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a description of a service cannot be used, or a value does not fit it.
public enum WSDLCompilerError: Error, Hashable, Sendable {
    /// The source failed to get the requested document, for the problem that it describes.
    case unreadable(document: String, problem: String)
    /// A document cannot be parsed as XML.
    case malformed(SourceLocation, XMLDocumentError)
    /// A document is neither WSDL 1.1 nor XML Schema; its root element has this name.
    case notDescription(SourceLocation, root: XMLName)
    /// References cannot be resolved, and documents that may declare their targets were not read.
    case missingDocuments([MissingDocument], unresolved: [UnresolvedReference])
    /// No document declares the targets of these references; there is at least one.
    case unresolved([UnresolvedReference])
    /// A name has a prefix that is not declared.
    case undeclaredPrefix(SourceLocation, name: String)
    /// A required attribute is missing.
    case missingAttribute(SourceLocation, element: String, attribute: String)
    /// A required child element is missing.
    case missingElement(SourceLocation, element: String, child: String)
    /// An attribute has an invalid value.
    case invalidValue(SourceLocation, attribute: String, value: String)
    /// A part of a message has neither an element nor a type, or both (`hasBoth`).
    case partType(SourceLocation, part: String, hasBoth: Bool)
    /// A component is derived from itself or contains itself.
    case circular(SourceLocation, ComponentKind, XMLName)
    /// A complex type is used where only a simple one is allowed.
    case notSimple(SourceLocation, type: XMLName)
    /// No sample of an operation's request was found, because of a pattern that is not supported or a type that contains itself.
    case noSample(SourceLocation, operation: String, element: XMLName)
    /// A value does not fit its type. The path begins with `$`, as in `$.account.limits[0]`.
    case value(path: String, ValueProblem)
    /// The description has more documents than are read.
    case tooManyDocuments(SourceLocation, most: Int)
    /// The description has more components than are read, once groups, bases, redefinitions and messages are expanded.
    case tooComplex(SourceLocation, most: Int)
}
