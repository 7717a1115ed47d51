// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Why a value is not written or not read.
public enum XMLValueError: Error, Hashable, Sendable {
    /// The document cannot be read at all.
    case document(XMLDocumentError)
    /// The document's element has another name.
    case wrongRoot(expected: XMLName, found: XMLName)
    /// A required element is missing where another one stands, or none.
    case missingElement(XMLName, found: XMLName?, at: XMLPlace = XMLPlace())
    /// An element stands where none, or no element of that name, may stand.
    case unexpectedElement(XMLName, at: XMLPlace = XMLPlace())
    /// There is text between elements.
    case unexpectedText(String, at: XMLPlace = XMLPlace())
    /// A required attribute is missing.
    case missingAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// No element of a choice or of another group begins where one has to.
    case noChoice(group: String, found: XMLName?, at: XMLPlace = XMLPlace())
    /// An element has a type that is not known there, or an abstract one without `xsi:type`.
    case unknownType(XMLName?, at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`) that may not be.
    case unexpectedNull(at: XMLPlace = XMLPlace())
    /// An element is null (`xsi:nil`) and has content.
    case contentInNull(at: XMLPlace = XMLPlace())
    /// A text is no value of its type.
    case invalid(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value is larger, smaller or more precise than its Swift type holds.
    case doesNotFit(text: String, type: String, at: XMLPlace = XMLPlace())
    /// A value does not satisfy a facet of its type.
    case facet(XMLFacet, value: String, at: XMLPlace = XMLPlace())
    /// A pattern is no regular expression of XML Schema, or one that is not supported.
    case pattern(String, at: XMLPlace = XMLPlace())
    /// A text is too long to be compared with a pattern.
    case longPatternText(mostBytes: Int, at: XMLPlace = XMLPlace())
    /// A prefix in a text is not declared.
    case undeclaredPrefix(String, at: XMLPlace = XMLPlace())
    /// A text has a character that XML 1.0 cannot hold.
    case character(UInt32, at: XMLPlace = XMLPlace())
    /// A name of an element or an attribute, or a namespace, cannot be written.
    case name(String, at: XMLPlace = XMLPlace())
    /// An attribute is written twice.
    case repeatedAttribute(XMLName, at: XMLPlace = XMLPlace())
    /// An attribute or a prefix is written after an element's content has begun, or content outside of every element.
    case misplaced(at: XMLPlace = XMLPlace())
    /// Elements are nested deeper than is read or written.
    case tooDeep(depth: Int, at: XMLPlace = XMLPlace())
    /// An array is sparse or partly transmitted (SOAP 1.1 sections 5.4.2.1 and 5.4.2.2).
    case partialArray(at: XMLPlace = XMLPlace())
    /// A reference is to no element of the message.
    case missingReference(String, at: XMLPlace = XMLPlace())
    /// A reference is to an element that holds the reference.
    case circularReference(String, at: XMLPlace = XMLPlace())
    /// An identifier that references name occurs twice.
    case repeatedIdentifier(String, at: XMLPlace = XMLPlace())
    /// More references are followed, or more elements are reached by them, than is read.
    case tooManyReferences(most: Int, at: XMLPlace = XMLPlace())
    /// An attachment is referred to by something else than `cid:`.
    case attachmentReference(String, at: XMLPlace = XMLPlace())
    /// There is no attachment with a content identifier.
    case missingAttachment(String, at: XMLPlace = XMLPlace())
    /// The bytes of an attachment are needed at once, but they have to be read first.
    case attachmentNotLoaded(String, at: XMLPlace = XMLPlace())
    /// An attachment has more bytes than are read.
    case attachmentTooLarge(mostBytes: Int, at: XMLPlace = XMLPlace())
}

extension XMLValueError {
    /// The place in the message; no place for an error of the whole document.
    public var place: XMLPlace {
        switch self {
        case .document, .wrongRoot: XMLPlace()
        case .missingElement(_, _, let place), .unexpectedElement(_, let place), .unexpectedText(_, let place),
            .missingAttribute(_, let place), .noChoice(_, _, let place), .unknownType(_, let place),
            .unexpectedNull(let place), .contentInNull(let place), .invalid(_, _, let place),
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
