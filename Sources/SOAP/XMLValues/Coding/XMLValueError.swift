// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// An error that occurs when a value is written or read.
///
/// Each case but the first two has the location in the message; its path is empty if the value is not in a document.
@nonexhaustive
public enum XMLValueError: Error, Hashable, Sendable {
    /// The document cannot be parsed.
    case document(XMLDocumentError)
    /// The name of the root element differs from the expected name.
    case wrongRoot(expected: XMLName, found: XMLName)
    /// A required element is missing: an element with the name `found` is in its place, or none (`nil`).
    case missingElement(XMLName, found: XMLName?, at: XMLPlace = XMLPlace())
    /// The schema does not allow an element with this name at this position.
    case unexpectedElement(XMLName, at: XMLPlace = XMLPlace())
    /// There is text between elements, but the schema allows only elements.
    case unexpectedText(String, at: XMLPlace = XMLPlace())
    /// A required attribute is missing.
    case missingAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// The schema does not allow this attribute on its element.
    case unexpectedAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// No element of a choice or of another required group begins here; the next element has the name `found`, or there
    /// is none (`nil`).
    case noChoice(group: String, found: XMLName?, at: XMLPlace = XMLPlace())
    /// An element names a type that its declaration does not allow, or has an abstract type and no `xsi:type` (`nil`).
    case unknownType(XMLName?, at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`), but its declaration is not nillable.
    case unexpectedNull(at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`), but has content.
    case contentInNull(at: XMLPlace = XMLPlace())
    /// A text does not represent a value of the type with this name.
    case invalid(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value of the type with this name is out of the range or the precision of its Swift type.
    case doesNotFit(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value, given as its text, does not satisfy a facet of its type.
    case facet(XMLFacet, value: String, at: XMLPlace = XMLPlace())
    /// A pattern is not an XML Schema regular expression, or libxml2 does not support it.
    case pattern(String, at: XMLPlace = XMLPlace())
    /// A text is longer, in UTF-8, than the limit for comparisons with a pattern.
    case longPatternText(maximumByteCount: Int, at: XMLPlace = XMLPlace())
    /// A text has a qualified name whose prefix is not declared.
    case undeclaredPrefix(String, at: XMLPlace = XMLPlace())
    /// A text contains a Unicode scalar, given by its number, that XML 1.0 does not allow (section 2.2).
    case character(UInt32, at: XMLPlace = XMLPlace())
    /// An element name, an attribute name or a namespace cannot be written.
    case name(String, at: XMLPlace = XMLPlace())
    /// An attribute is written twice.
    case repeatedAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// An attribute or a prefix is written after the element's content has begun, or content is written outside
    /// all elements.
    case misplaced(at: XMLPlace = XMLPlace())
    /// Elements are nested deeper than the limit `depth`.
    case tooDeep(depth: Int, at: XMLPlace = XMLPlace())
    /// An array is sparse or partly transmitted (SOAP 1.1 sections 5.4.2.1 and 5.4.2.2).
    case partialArray(at: XMLPlace = XMLPlace())
    /// A reference names an identifier that no element of the message has.
    case missingReference(String, at: XMLPlace = XMLPlace())
    /// A reference names the identifier of an element that contains the reference.
    case circularReference(String, at: XMLPlace = XMLPlace())
    /// Two elements have the same identifier, so that references to the identifier are ambiguous.
    case repeatedIdentifier(String, at: XMLPlace = XMLPlace())
    /// The message has more than `limit` references, or their targets contain more than 100 times as many elements.
    case tooManyReferences(limit: Int, at: XMLPlace = XMLPlace())
    /// A reference to an attachment is not a `cid:` URL (RFC 2392).
    case attachmentReference(String, at: XMLPlace = XMLPlace())
    /// The message has no attachment with this content identifier.
    case missingAttachment(String, at: XMLPlace = XMLPlace())
    /// The bytes of the attachment with this content identifier are needed immediately, but are not in memory.
    case attachmentNotLoaded(String, at: XMLPlace = XMLPlace())
    /// An attachment is larger than the limit for reading it into memory.
    case attachmentTooLarge(maximumByteCount: Int, at: XMLPlace = XMLPlace())
}

extension XMLValueError {
    /// The location in the message; an empty one for errors of the entire document.
    public var place: XMLPlace { placed?.place ?? XMLPlace() }

    /// Returns the same error with a location, unless it already has one.
    package func located(at place: @autoclosure () -> XMLPlace) -> XMLValueError {
        guard let placed, placed.place.path.isEmpty else { return self }
        return placed.at(place())
    }

    /// The location in the message, and a closure that returns the same error with another location; `nil` for errors
    /// of the entire document.
    private var placed: (place: XMLPlace, at: (XMLPlace) -> XMLValueError)? {
        switch self {
        case .document, .wrongRoot: nil
        case .missingElement(let name, let found, let place): (place, { .missingElement(name, found: found, at: $0) })
        case .unexpectedElement(let name, let place): (place, { .unexpectedElement(name, at: $0) })
        case .unexpectedText(let text, let place): (place, { .unexpectedText(text, at: $0) })
        case .missingAttribute(let name, let place): (place, { .missingAttribute(name, at: $0) })
        case .unexpectedAttribute(let name, let place): (place, { .unexpectedAttribute(name, at: $0) })
        case .noChoice(let group, let found, let place): (place, { .noChoice(group: group, found: found, at: $0) })
        case .unknownType(let type, let place): (place, { .unknownType(type, at: $0) })
        case .unexpectedNull(let place): (place, { .unexpectedNull(at: $0) })
        case .contentInNull(let place): (place, { .contentInNull(at: $0) })
        case .invalid(let text, let type, let place): (place, { .invalid(text: text, type: type, at: $0) })
        case .doesNotFit(let text, let type, let place): (place, { .doesNotFit(text: text, type: type, at: $0) })
        case .facet(let facet, let value, let place): (place, { .facet(facet, value: value, at: $0) })
        case .pattern(let pattern, let place): (place, { .pattern(pattern, at: $0) })
        case .longPatternText(let limit, let place): (place, { .longPatternText(maximumByteCount: limit, at: $0) })
        case .undeclaredPrefix(let prefix, let place): (place, { .undeclaredPrefix(prefix, at: $0) })
        case .character(let scalar, let place): (place, { .character(scalar, at: $0) })
        case .name(let name, let place): (place, { .name(name, at: $0) })
        case .repeatedAttribute(let name, let place): (place, { .repeatedAttribute(name, at: $0) })
        case .misplaced(let place): (place, { .misplaced(at: $0) })
        case .tooDeep(let depth, let place): (place, { .tooDeep(depth: depth, at: $0) })
        case .partialArray(let place): (place, { .partialArray(at: $0) })
        case .missingReference(let id, let place): (place, { .missingReference(id, at: $0) })
        case .circularReference(let id, let place): (place, { .circularReference(id, at: $0) })
        case .repeatedIdentifier(let id, let place): (place, { .repeatedIdentifier(id, at: $0) })
        case .tooManyReferences(let limit, let place): (place, { .tooManyReferences(limit: limit, at: $0) })
        case .attachmentReference(let href, let place): (place, { .attachmentReference(href, at: $0) })
        case .missingAttachment(let id, let place): (place, { .missingAttachment(id, at: $0) })
        case .attachmentNotLoaded(let id, let place): (place, { .attachmentNotLoaded(id, at: $0) })
        case .attachmentTooLarge(let limit, let place):
            (place, { .attachmentTooLarge(maximumByteCount: limit, at: $0) })
        }
    }
}

/// A location in a message: the path of its element, and its line.
public struct XMLPlace: Hashable, Sendable {
    /// The local names from the root element down, such as `Envelope/Body/price`; `@name` at the end is an attribute.
    ///
    /// The path is empty if the value is not in a document.
    public let path: String
    /// The line number, from 1; `nil` for a message that is being written.
    ///
    /// libxml2 reports 65,535 for all lines after that one.
    public let line: Int?

    /// Creates the location of a value that is not in a document.
    public init() { (path, line) = ("", nil) }

    package init(path: String, line: Int?) { (self.path, self.line) = (path, line) }

    /// Returns the location of an attribute of this element.
    package func attribute(_ local: String) -> XMLPlace { XMLPlace(path: "\(path)/@\(local)", line: line) }
}

/// A facet that a value does not satisfy (XML Schema Part 2 section 4.3).
@nonexhaustive
public enum XMLFacet: Hashable, Sendable {
    /// The length differs from this one: Unicode scalars of a text, bytes of binary data, or items of a list.
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
    /// The value differs from the only allowed value, which has this text.
    case fixed(String)
}
