// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What is wrong with a value of JSON, or with an element that is to become one.
public enum ValueProblem: Hashable, Sendable {
    /// The text is not JSON.
    case syntax(line: Int, column: Int)
    /// A member has to be there.
    case missing(name: String)
    /// One of several members has to be there.
    case noChoice(names: [String])
    /// The type has no such member.
    case unknown(name: String, nearest: String?)
    /// There are more values than the type allows.
    case tooMany(name: String, most: Int)
    /// A value of another kind has to stand here, such as "an object".
    case wrongKind(expected: String)
    /// The value cannot be null.
    case null
    /// There is no such type, or it is not derived from the declared one.
    case unknownType(name: String)
    /// The type is abstract, and `@type` has to name one that is derived from it.
    case abstract(type: String)
    /// The operation has no such element in its Body.
    case unexpectedElement(name: String)
    /// A member stands for an element or attribute, and its name is none of XML.
    case invalidName(name: String)
    /// An element refers to one that is around it.
    case circularReference(id: String)
    /// More references are followed than is read, or they reach too much.
    case tooManyReferences(most: Int)
}
