// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ErrorExplanations
public import XMLValues

/// A problem of a JSON value that is converted to a message, or of an element that is converted to JSON.
public enum ValueProblem: Hashable, Sendable {
    /// The text is not valid JSON (RFC 8259), or repeats a member, at this line and column.
    case syntax(line: Int, column: Int)
    /// A required member is missing.
    case missing(name: String)
    /// None of these members is present, but the type requires one of them.
    case noChoice(names: [String])
    /// The type has no such member; `nearest` is the most similar name, or `nil`.
    case unknown(name: String, nearest: String?)
    /// The member has more values than the type allows.
    case tooMany(name: String, limit: Int)
    /// The JSON kind of the value is not the expected one; `expected` describes that kind, such as "an object".
    case wrongKind(expected: String)
    /// The value cannot be null.
    case null
    /// A text, an element or an attribute violates the description, or is not valid in XML.
    case invalid(XMLValueError)
    /// The description allows several orders of these members' values, and the order decides which values
    /// belong together.
    case ambiguousOrder(names: [String])
    /// No type has this name, or it is not derived from the declared one.
    case unknownType(name: String)
    /// The type is abstract, and `@type` must name a derived type.
    case abstract(type: String)
    /// The operation's Body has no such element.
    case unexpectedElement(name: String)
    /// The name of a member is not a valid element or attribute name.
    case invalidName(name: String)
    /// An element refers to the identifier of one of its ancestors.
    case circularReference(id: String)
    /// The message has more references than the limit, or they expand to too many elements.
    case tooManyReferences(limit: Int)
}

extension ValueProblem {
    func explanation(at path: String) -> ErrorExplanation {
        switch self {
        case .syntax(let line, let column):
            ErrorExplanation(
                "json.syntax", "The text is not JSON from line \(line), column \(column) on.",
                reason: "RFC 8259 does not allow the text, or an object has a member twice.",
                advice: "Correct the text there.")
        case .missing(let name):
            ErrorExplanation(
                "json.missing", "At \(path): the member \(name) is missing.",
                reason: "The schema does not allow a value without it.", advice: "Add the member.")
        case .noChoice(let names):
            ErrorExplanation(
                "json.no-choice", "At \(path): one of \(names.joined(separator: ", ")) is missing.",
                reason: "The schema requires one of them.", advice: "Add one of the members.")
        case .unknown(let name, let nearest):
            ErrorExplanation(
                "json.unknown",
                "At \(path): there is no member \(name) here\(nearest.map { "; \($0) is similar" } ?? "").",
                reason: "The type has no such element or attribute, or allows no further one here.",
                advice:
                    "Correct the name; attributes begin with @, and a namespace is written in braces before the name.")
        case .tooMany(let name, let limit):
            ErrorExplanation(
                "json.too-many", "At \(path): \(name) has more than \(limit) values.",
                reason: "The schema does not allow as many.", advice: "Leave some out.")
        case .wrongKind(let expected):
            ErrorExplanation(
                "json.wrong-kind", "At \(path): the value must be \(expected).",
                reason: "The type has values of that kind only.", advice: "Write the value in that form.")
        case .null:
            ErrorExplanation(
                "json.null", "At \(path): the value cannot be null.",
                reason: "The element is required and not nillable.", advice: "Give a value.")
        case .invalid(let error):
            error.located(at: XMLPlace(path: path, line: nil)).explanation
        case .ambiguousOrder(let names):
            ErrorExplanation(
                "json.ambiguous-order",
                "At \(path): the order of the values of \(names.joined(separator: ", ")) is not known.",
                reason: "They are in a repeated part of the message, in which several orders are possible.",
                advice: "Write the elements in their order, as the member #content: [{\"a\": 1}, {\"a\": 2, \"b\": 3}]."
            )
        case .unknownType(let name):
            ErrorExplanation(
                "json.unknown-type", "At \(path): there is no type \(name) that is allowed here.",
                reason: "A type in a value is the declared one, or derived from it.",
                advice: "Name such a type; if the name is ambiguous, write its namespace in braces before it.")
        case .abstract(let type):
            ErrorExplanation(
                "json.abstract", "At \(path): the type \(type) is abstract.",
                reason: "A value is of a type that is derived from it.", advice: "Name the type in the member @type.")
        case .unexpectedElement(let name):
            ErrorExplanation(
                "json.unexpected-element", "At \(path): the element \(name) is not one of the message.",
                reason: "The Body holds the elements that the description names.",
                advice: "Check that the description matches the service.")
        case .invalidName(let name):
            ErrorExplanation(
                "json.invalid-name", "At \(path): \(name) cannot be the name of an element or attribute.",
                reason: "XML names consist of letters, digits and a few signs, and xmlns is not allowed.",
                advice: "Correct the name; a namespace is written in braces before it.")
        case .circularReference(let id):
            ErrorExplanation(
                "json.circular-reference", "At \(path): the element with the id \(id) refers to itself.",
                reason: "JSON cannot represent values that contain themselves.",
                advice: "Ask the service to send trees.")
        case .tooManyReferences(let limit):
            ErrorExplanation(
                "json.too-many-references",
                "At \(path): more than \(limit) references would be followed, or their targets are too large.",
                reason: "References to references can make a small message endless.",
                advice: "Ask the service to send trees.")
        }
    }

    static var examples: [ValueProblem] {
        [
            .syntax(line: 2, column: 7), .missing(name: "account"), .noChoice(names: ["iban", "number"]),
            .unknown(name: "acount", nearest: "account"), .tooMany(name: "limit", limit: 3),
            .wrongKind(expected: "an object"), .null, .ambiguousOrder(names: ["email", "key"]),
            .unknownType(name: "Savings"), .abstract(type: "Account"),
            .unexpectedElement(name: "{urn:bank}Ballance"), .invalidName(name: "a b"), .circularReference(id: "id1"),
            .tooManyReferences(limit: 10_000),
        ]
    }
}
