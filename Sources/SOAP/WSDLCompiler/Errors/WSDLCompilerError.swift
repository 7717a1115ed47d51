// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import XMLDocuments

/// An error of a service description, or of a value that does not conform to it.
public enum WSDLCompilerError: Error, Hashable, Sendable {
    /// The source failed to get the requested document; `problem` describes the failure.
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
    /// No sample of an operation's request was found, because of an unsupported pattern or a type that contains itself.
    case noSample(SourceLocation, operation: String, element: XMLName)
    /// A value does not conform to its type. The path begins with `$`, as in `$.account.limits[0]`.
    case value(path: String, ValueProblem)
    /// The description has more documents than the limit.
    case tooManyDocuments(SourceLocation, limit: Int)
    /// The description has more components than the limit after groups, bases, redefinitions and messages are expanded.
    case tooComplex(SourceLocation, limit: Int)
}

extension WSDLCompilerError: CataloguedError {
    /// The explanation: the problem, its cause and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .unreadable(let document, let problem):
            ErrorExplanation(
                "wsdl.unreadable", "The description \(document.quoted) cannot be read: \(problem).",
                reason: "No part of the service is known without it.", advice: "Check the path or URL.")
        case .malformed(let location, let error):
            ErrorExplanation(
                "wsdl.malformed", "At \(location): \(error.explanation.message)", reason: error.explanation.reason,
                advice: error.explanation.advice)
        case .notDescription(let location, let root):
            ErrorExplanation(
                "wsdl.not-a-description",
                "At \(location): the element is \(root), neither definitions of WSDL 1.1 nor schema of XML Schema.",
                reason: "A service is described in WSDL 1.1, and WSDL 2.0 is not read.",
                advice: "Ask the service for its WSDL; often its URL ends in ?wsdl.")
        case .missingDocuments(let documents, let unresolved):
            ErrorExplanation(
                "wsdl.missing-documents",
                "Documents were not read: \(documents.listed). Without them: \(unresolved.listed).",
                reason: "Imports name documents that declare what others refer to.",
                advice: "Save the documents and name each in a catalogue, or allow remote documents.")
        case .unresolved(let references):
            ErrorExplanation(
                "wsdl.unresolved", "References cannot be resolved: \(references.listed).",
                reason: "Every document that is imported was read, and none declares them.",
                advice: "Correct the name or its prefix, or import the document that declares it.")
        case .undeclaredPrefix(let location, let name):
            ErrorExplanation(
                "wsdl.undeclared-prefix", "At \(location): the prefix of \(name.quoted) is not declared.",
                reason: "The namespace of the name is not known.", advice: "Declare the prefix with xmlns.")
        case .missingAttribute(let location, let element, let attribute):
            ErrorExplanation(
                "wsdl.missing-attribute", "At \(location): \(element) has no attribute \(attribute).",
                reason: "The attribute is required.", advice: "Add the attribute.")
        case .missingElement(let location, let element, let child):
            ErrorExplanation(
                "wsdl.missing-element", "At \(location): \(element) has no element \(child).",
                reason: "The child element is required.", advice: "Add the element.")
        case .partType(let location, let part, let hasBoth):
            ErrorExplanation(
                "wsdl.part-type",
                "At \(location): the part \(part.quoted) has \(hasBoth ? "both an element and" : "neither an element nor") a type.",
                reason: "A part refers to either an element or a type (WSDL 1.1 section 2.3).",
                advice: "Keep element in the document style, and type in the rpc style.")
        case .invalidValue(let location, let attribute, let value):
            ErrorExplanation(
                "schema.invalid-value", "At \(location): \(attribute) cannot be \(value.quoted).",
                reason: "XML Schema allows other values only.", advice: "Correct the value.")
        case .circular(let location, let kind, let name):
            ErrorExplanation(
                "schema.circular",
                "At \(location): the \(kind.rawValue) \(name) is derived from itself or contains itself.",
                reason: "No value could conform to it.", advice: "Break the circle, or use a named type within it.")
        case .notSimple(let location, let type):
            ErrorExplanation(
                "schema.not-simple", "At \(location): \(type) is a complex type, but only a simple type is allowed.",
                reason: "Attributes, lists, unions and simple types hold text.", advice: "Name a simple type.")
        case .noSample(let location, let operation, let element):
            ErrorExplanation(
                "schema.no-sample",
                "At \(location): no sample of \(element) could be made for the operation \(operation).",
                reason:
                    "A pattern is not supported, facets contradict each other, or a type must contain a value of itself.",
                advice: "Write the request by hand.")
        case .value(let path, let problem): problem.explanation(at: path)
        case .tooManyDocuments(let location, let limit):
            ErrorExplanation(
                "wsdl.too-many-documents", "At \(location): there are more than \(limit) documents or too many bytes.",
                reason: "A service could make a client read documents endlessly.",
                advice: "Raise the limits in the options if the description needs more.")
        case .tooComplex(let location, let limit):
            ErrorExplanation(
                "schema.too-complex",
                "At \(location): groups, bases, redefinitions or messages expand to more than \(limit) parts.",
                reason: "Groups that are used in many places can grow without bounds.",
                advice: "Use named types in place of groups.")
        }
    }

    package static var examples: [Self] {
        let place = SourceLocation(document: "bank.wsdl", line: 12)
        let name = XMLName("Balance", in: "urn:bank")
        let reference = UnresolvedReference(
            kind: .type, name: name, nearest: XMLName("balance", in: "urn:bank"), location: place)
        let document = MissingDocument(document: "types.xsd", namespace: "urn:bank", location: place, cause: .remote)
        return [
            .unreadable(document: "bank.wsdl", problem: "No such file or directory"),
            .malformed(place, .documentType), .notDescription(place, root: XMLName("html")),
            .missingDocuments([document], unresolved: [reference]), .unresolved([reference]),
            .undeclaredPrefix(place, name: "tns:Balance"),
            .missingAttribute(place, element: "message", attribute: "name"),
            .missingElement(place, element: "list", child: "simpleType"),
            .invalidValue(place, attribute: "minOccurs", value: "-1"),
            .partType(place, part: "account", hasBoth: true), .circular(place, .group, name),
            .notSimple(place, type: name), .noSample(place, operation: "GetBalance", element: name),
            .tooManyDocuments(place, limit: 1_000), .tooComplex(place, limit: 100_000),
        ] + ValueProblem.examples.map { .value(path: "$.account", $0) }
    }
}

extension Sequence where Element: CustomStringConvertible {
    /// The descriptions of the first ten elements, and the number of the others.
    fileprivate var listed: String {
        let all = map(\.description)
        let more = all.count > 10 ? ["and \(all.count - 10) more"] : []
        return (all.prefix(10) + more).joined(separator: "; ")
    }
}

extension String {
    fileprivate var quoted: String { "\"\(self)\"" }
}
