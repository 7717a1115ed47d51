// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a value cannot be written or read.
///
/// Each case but the first two has the place in the message; its path is empty where the value stands in no document.
public enum XMLValueError: Error, Hashable, Sendable {
    /// The document cannot be parsed.
    case document(XMLDocumentError)
    /// The root element has another name than the expected one.
    case wrongRoot(expected: XMLName, found: XMLName)
    /// A required element is missing: an element of the name `found` stands in its place, or none (`nil`).
    case missingElement(XMLName, found: XMLName?, at: XMLPlace = XMLPlace())
    /// An element stands at a place where the schema does not allow an element of this name.
    case unexpectedElement(XMLName, at: XMLPlace = XMLPlace())
    /// A text stands between elements, where the schema allows only elements.
    case unexpectedText(String, at: XMLPlace = XMLPlace())
    /// A required attribute is missing.
    case missingAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// An attribute that the schema does not allow on its element.
    case unexpectedAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// No element of a choice or of another required group begins here: an element of the name `found` does, or none (`nil`).
    case noChoice(group: String, found: XMLName?, at: XMLPlace = XMLPlace())
    /// An element names a type that is not one of those allowed there, or has an abstract type and no `xsi:type` (`nil`).
    case unknownType(XMLName?, at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`), and its declaration is not nillable.
    case unexpectedNull(at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`) and has content.
    case contentInNull(at: XMLPlace = XMLPlace())
    /// A text is not a value of the type with this name.
    case invalid(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value of the type with this name is larger, smaller or more precise than its Swift type can hold.
    case doesNotFit(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value, given as its text, does not satisfy a facet of its type.
    case facet(XMLFacet, value: String, at: XMLPlace = XMLPlace())
    /// A pattern is not a regular expression of XML Schema, or libxml2 does not support it.
    case pattern(String, at: XMLPlace = XMLPlace())
    /// A text has more bytes, in UTF-8, than are compared with a pattern.
    case longPatternText(mostBytes: Int, at: XMLPlace = XMLPlace())
    /// A text has a qualified name whose prefix is not declared.
    case undeclaredPrefix(String, at: XMLPlace = XMLPlace())
    /// A text has a Unicode scalar, given by its number, that XML 1.0 cannot hold (section 2.2).
    case character(UInt32, at: XMLPlace = XMLPlace())
    /// A name of an element or an attribute, or a namespace, cannot be written.
    case name(String, at: XMLPlace = XMLPlace())
    /// An attribute is written twice.
    case repeatedAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// An attribute or a prefix is written after an element's content has begun, or content outside of every element.
    case misplaced(at: XMLPlace = XMLPlace())
    /// Elements are nested deeper than the limit `depth`.
    case tooDeep(depth: Int, at: XMLPlace = XMLPlace())
    /// An array is sparse or partly transmitted (SOAP 1.1 sections 5.4.2.1 and 5.4.2.2).
    case partialArray(at: XMLPlace = XMLPlace())
    /// A reference names an identifier that no element of the message has.
    case missingReference(String, at: XMLPlace = XMLPlace())
    /// A reference names the identifier of an element that holds the reference.
    case circularReference(String, at: XMLPlace = XMLPlace())
    /// Two elements have the same identifier, so that references to it are ambiguous.
    case repeatedIdentifier(String, at: XMLPlace = XMLPlace())
    /// More references than `most` would be followed, or they would lead to more than 100 times as many elements.
    case tooManyReferences(most: Int, at: XMLPlace = XMLPlace())
    /// A reference to an attachment is not a `cid:` URL (RFC 2392).
    case attachmentReference(String, at: XMLPlace = XMLPlace())
    /// The message has no attachment with this content identifier.
    case missingAttachment(String, at: XMLPlace = XMLPlace())
    /// The bytes of the attachment with this content identifier are needed at once, but are not in memory.
    case attachmentNotLoaded(String, at: XMLPlace = XMLPlace())
    /// An attachment has more bytes than are read into memory.
    case attachmentTooLarge(mostBytes: Int, at: XMLPlace = XMLPlace())
}

extension XMLValueError {
    /// The place in the message; an empty one for errors of the whole document.
    public var place: XMLPlace {
        switch self {
        case .document, .wrongRoot: XMLPlace()
        case .missingElement(_, _, let place), .unexpectedElement(_, let place), .unexpectedText(_, let place),
            .missingAttribute(_, let place), .unexpectedAttribute(_, let place), .noChoice(_, _, let place),
            .unknownType(_, let place), .unexpectedNull(let place), .contentInNull(let place),
            .invalid(_, _, let place),
            .doesNotFit(_, _, let place), .facet(_, _, let place), .pattern(_, let place),
            .longPatternText(_, let place), .undeclaredPrefix(_, let place), .character(_, let place),
            .name(_, let place), .repeatedAttribute(_, let place), .misplaced(let place), .tooDeep(_, let place),
            .partialArray(let place), .missingReference(_, let place), .circularReference(_, let place),
            .repeatedIdentifier(_, let place), .tooManyReferences(_, let place), .attachmentReference(_, let place),
            .missingAttachment(_, let place), .attachmentNotLoaded(_, let place), .attachmentTooLarge(_, let place):
            place
        }
    }

    /// The same error at a place, unless it has one already.
    package func located(at place: @autoclosure () -> XMLPlace) -> XMLValueError {
        guard self.place.path.isEmpty else { return self }
        let place = place()
        return switch self {
        case .document, .wrongRoot: self
        case .missingElement(let name, let found, _): .missingElement(name, found: found, at: place)
        case .unexpectedElement(let name, _): .unexpectedElement(name, at: place)
        case .unexpectedText(let text, _): .unexpectedText(text, at: place)
        case .missingAttribute(let name, _): .missingAttribute(name, at: place)
        case .unexpectedAttribute(let name, _): .unexpectedAttribute(name, at: place)
        case .noChoice(let group, let found, _): .noChoice(group: group, found: found, at: place)
        case .unknownType(let type, _): .unknownType(type, at: place)
        case .unexpectedNull: .unexpectedNull(at: place)
        case .contentInNull: .contentInNull(at: place)
        case .invalid(let text, let type, _): .invalid(text: text, type: type, at: place)
        case .doesNotFit(let text, let type, _): .doesNotFit(text: text, type: type, at: place)
        case .facet(let facet, let value, _): .facet(facet, value: value, at: place)
        case .pattern(let pattern, _): .pattern(pattern, at: place)
        case .longPatternText(let most, _): .longPatternText(mostBytes: most, at: place)
        case .undeclaredPrefix(let prefix, _): .undeclaredPrefix(prefix, at: place)
        case .character(let scalar, _): .character(scalar, at: place)
        case .name(let name, _): .name(name, at: place)
        case .repeatedAttribute(let name, _): .repeatedAttribute(name, at: place)
        case .misplaced: .misplaced(at: place)
        case .tooDeep(let depth, _): .tooDeep(depth: depth, at: place)
        case .partialArray: .partialArray(at: place)
        case .missingReference(let id, _): .missingReference(id, at: place)
        case .circularReference(let id, _): .circularReference(id, at: place)
        case .repeatedIdentifier(let id, _): .repeatedIdentifier(id, at: place)
        case .tooManyReferences(let most, _): .tooManyReferences(most: most, at: place)
        case .attachmentReference(let href, _): .attachmentReference(href, at: place)
        case .missingAttachment(let id, _): .missingAttachment(id, at: place)
        case .attachmentNotLoaded(let id, _): .attachmentNotLoaded(id, at: place)
        case .attachmentTooLarge(let most, _): .attachmentTooLarge(mostBytes: most, at: place)
        }
    }
}

/// A place in a message: the path of its element, and its line.
public struct XMLPlace: Hashable, Sendable {
    /// The local names from the document's element down, such as `Envelope/Body/price`; `@name` at the end is an attribute.
    ///
    /// Empty where the value stands in no document.
    public let path: String
    /// The line, from 1; `nil` while a message is written, and 65,535 for each line from there on.
    public let line: Int?

    /// Creates the place of a value that stands in no document.
    public init() { (path, line) = ("", nil) }

    package init(path: String, line: Int?) { (self.path, self.line) = (path, line) }

    /// The same place with an attribute.
    package func attribute(_ local: String) -> XMLPlace { XMLPlace(path: "\(path)/@\(local)", line: line) }
}

/// A facet that a value does not satisfy (XML Schema Part 2 section 4.3).
public enum XMLFacet: Hashable, Sendable {
    /// The length is not this one: Unicode scalars of a text, bytes of binary data, or items of a list.
    case length(Int)
    /// The length is less than this one.
    case minimumLength(Int)
    /// The length is greater than this one.
    case maximumLength(Int)
    /// The text of the value matches none of these regular expressions.
    case patterns([String])
    /// The value is less than this bound, or not comparable with it.
    case minimumInclusive(String)
    /// The value is not greater than this bound.
    case minimumExclusive(String)
    /// The value is greater than this bound, or not comparable with it.
    case maximumInclusive(String)
    /// The value is not less than this bound.
    case maximumExclusive(String)
    /// The value has more decimal digits than this.
    case totalDigits(Int)
    /// The value has more decimal digits after the point than this.
    case fractionDigits(Int)
    /// The value is none of the values with these texts.
    case enumeration([String])
    /// The value is not the one with this text, which alone is allowed.
    case fixed(String)
}
