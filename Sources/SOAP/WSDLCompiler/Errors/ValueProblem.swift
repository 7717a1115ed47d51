// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLValues

/// The problem of a JSON value that is to become a message, or of an element that is to become JSON.
public enum ValueProblem: Hashable, Sendable {
    /// The text is not JSON (RFC 8259) from this line and column on, or has a member twice.
    case syntax(line: Int, column: Int)
    /// A required member is missing.
    case missing(name: String)
    /// None of these members is present, one of which the type requires.
    case noChoice(names: [String])
    /// The type has no such member; `nearest` is the most similar name, or `nil`.
    case unknown(name: String, nearest: String?)
    /// The member has more values than the type allows.
    case tooMany(name: String, most: Int)
    /// The value is of another kind than the expected one, which is described, such as "an object".
    case wrongKind(expected: String)
    /// The value cannot be null.
    case null
    /// A text, an element or an attribute does not follow the description, or cannot stand in XML.
    case invalid(XMLValueError)
    /// The description allows several orders of the values of these members, and different ones belong together in each.
    case ambiguousOrder(names: [String])
    /// No type has this name, or it is not derived from the declared one.
    case unknownType(name: String)
    /// The type is abstract, and `@type` has to name one that is derived from it.
    case abstract(type: String)
    /// The operation has no such element in its Body.
    case unexpectedElement(name: String)
    /// The name of a member cannot be the name of an element or attribute.
    case invalidName(name: String)
    /// An element refers to the identifier of an element that holds it.
    case circularReference(id: String)
    /// The message has more references than are followed, or they lead to too many elements.
    case tooManyReferences(most: Int)
}
