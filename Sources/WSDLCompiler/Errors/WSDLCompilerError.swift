// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a description of a service cannot be read.
public enum WSDLCompilerError: Error, Hashable, Sendable {
    /// The source failed to get the document that was asked for.
    case unreadable(document: String, problem: String)
    /// A document is not read as XML.
    case malformed(SourceLocation, XMLDocumentError)
    /// A document is neither WSDL 1.1 nor XML Schema.
    case notDescription(SourceLocation, root: XMLName)
    /// References cannot be resolved, and documents that may have them were not read.
    case missingDocuments([MissingDocument], unresolved: [UnresolvedReference])
    /// No document declares what these references name; there is at least one.
    case unresolved([UnresolvedReference])
    /// A name has a prefix that is not declared.
    case undeclaredPrefix(SourceLocation, name: String)
    /// A required attribute is not there.
    case missingAttribute(SourceLocation, element: String, attribute: String)
    /// A required element is not there.
    case missingElement(SourceLocation, element: String, child: String)
    /// An attribute has a value that it cannot have.
    case invalidValue(SourceLocation, attribute: String, value: String)
    /// A part of a message has neither an element nor a type, or both.
    case partType(SourceLocation, part: String, hasBoth: Bool)
    /// A component is derived from itself or contains itself.
    case circular(SourceLocation, ComponentKind, XMLName)
    /// A complex type stands where only a simple one can.
    case notSimple(SourceLocation, type: XMLName)
    /// No sample of an operation's request was found, because of a pattern that is not known or a type that holds itself.
    case noSample(SourceLocation, operation: String, element: XMLName)
    /// A value does not fit its type; the path begins with `$`, as in `$.account.limits[0]`.
    case value(path: String, ValueProblem)
    /// There are more documents than are read.
    case tooManyDocuments(SourceLocation, most: Int)
    /// Groups, bases, redefinitions and messages are more, once they are put where they are used, than is read.
    case tooComplex(SourceLocation, most: Int)
}
