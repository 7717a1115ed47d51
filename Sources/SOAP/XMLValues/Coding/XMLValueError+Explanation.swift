// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import XMLDocuments

extension XMLValueError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        if case .document(let error) = self { return error.explanation }
        let (code, message, reason, advice) = phrase
        return ErrorExplanation("value.\(code)", "\(message)\(place.phrase).", reason: reason, advice: advice)
    }

    private var phrase: (code: String, message: String, reason: String, advice: String) {
        let older = "Compare the message with the schema; a newer version of the service may send others."
        return switch self {
        case .document(let error): ("document", error.explanation.message, "", "")
        case .wrongRoot(let expected, let found):
            (
                "wrong-root", "The document's element is \(found), not \(expected)",
                "The document is not the expected one.", "Read it as a value of its actual type."
            )
        case .missingElement(let name, let found, _):
            (
                "missing-element", "The element \(name) is missing; \(found.phrase) instead",
                "The schema requires it here, in this order.", older + " Lenient reading ignores the order."
            )
        case .unexpectedElement(let name, _):
            (
                "unexpected-element", "The element \(name) is not expected",
                "The schema has no such element here.", older + " Lenient reading skips unknown elements."
            )
        case .unexpectedText(let text, _):
            (
                "unexpected-text", "There is a text between elements, \(text.quoted)",
                "The schema allows only elements here.", older + " Lenient reading skips such texts."
            )
        case .missingAttribute(let name, _):
            ("missing-attribute", "The attribute \(name) is missing", "The schema requires it.", older)
        case .unexpectedAttribute(let name, _):
            (
                "unexpected-attribute", "The attribute \(name) is not expected",
                "The schema has no such attribute here.", older
            )
        case .noChoice(let group, let found, _):
            (
                "no-choice", "No element of \(group) is there; \(found.phrase)",
                "The schema requires one of several elements here.", older
            )
        case .unknownType(let type, _):
            (
                "unknown-type",
                type.map { "The type \($0) is not known" } ?? "The element has an abstract type and no xsi:type",
                "Only types of the schema that are derived from the element's own can be read.", older
            )
        case .unexpectedNull:
            (
                "unexpected-null", "The element is null (xsi:nil)", "The schema requires a value.",
                "Declare the element nillable in the schema if the service sends this."
            )
        case .contentInNull:
            (
                "content-in-null", "The element is null (xsi:nil) and has content",
                "It cannot be both, and it is unclear which one is meant.",
                "Correct the program that creates the message."
            )
        case .invalid(let text, let type, _):
            (
                "invalid", "\(text.quoted) is not a value of \(type)",
                "The text does not have the form that the type requires.",
                "Correct the value, or the type in the schema."
            )
        case .doesNotFit(let text, let type, _):
            (
                "does-not-fit", "\(text.quoted), of \(type), does not fit its Swift type",
                "It is valid, but would lose digits.",
                "Give the element a type with bounds, or string, in the schema."
            )
        case .facet(let facet, let value, _):
            (
                "facet", "\(value.quoted) \(facet.phrase)", "The type restricts its values.",
                "Correct the value. Lenient reading does not check this."
            )
        case .pattern(let pattern, _):
            (
                "pattern", "\(pattern.quoted) is not a usable regular expression",
                "libxml2 compiles XML Schema expressions.", "Correct the pattern in the schema."
            )
        case .longPatternText(let limit, _):
            (
                "long-pattern-text", "A text of more than \(limit) bytes is not compared with a pattern",
                "Comparing long texts with some patterns takes very long.", "Shorten the text."
            )
        case .undeclaredPrefix(let prefix, _):
            (
                "undeclared-prefix", "The prefix \(prefix.quoted) is not declared",
                "A qualified name means nothing without its namespace.", "Correct the program that creates the message."
            )
        case .character(let scalar, _):
            (
                "character", "The character U+\(String(scalar, radix: 16, uppercase: true)) cannot be written",
                "XML 1.0 does not allow it.", "Remove it from the text, or send the text as bytes."
            )
        case .name(let name, _):
            (
                "name", "\(name.quoted) cannot be written as a name",
                "Names in XML have letters, digits, '.', '-' and '_'.", "Correct the name."
            )
        case .repeatedAttribute(let name, _):
            (
                "repeated-attribute", "The attribute \(name) is written twice",
                "An element can have each attribute only once.", "Remove one."
            )
        case .misplaced:
            (
                "misplaced", "An attribute is written after content, or content outside an element",
                "Attributes and qualified names belong in the start tag.", "Write attributes first."
            )
        case .tooDeep(let depth, _):
            (
                "too-deep", "Elements are nested deeper than \(depth)",
                "Few messages need that, and it can exhaust a program.", "Raise the depth in the reading options."
            )
        case .partialArray:
            (
                "partial-array", "The array is sparse or partly transmitted", "Only complete arrays are read.",
                "Ask the service to send complete arrays."
            )
        case .missingReference(let id, _):
            (
                "missing-reference", "No element has the identifier \(id.quoted)", "The value is not in the message.",
                "Correct the program that creates the message."
            )
        case .circularReference(let id, _):
            (
                "circular-reference", "The element \(id.quoted) refers to itself",
                "A Swift value cannot contain itself.", "Ask the service to send trees."
            )
        case .repeatedIdentifier(let id, _):
            (
                "repeated-identifier", "The identifier \(id.quoted) occurs twice",
                "References to it are ambiguous.", "Correct the program that creates the message."
            )
        case .tooManyReferences(let limit, _):
            (
                "too-many-references", "More than \(limit) references would be followed",
                "References to references can make a small message endless.", "Ask the service to send trees."
            )
        case .attachmentReference(let href, _):
            (
                "attachment-reference", "\(href.quoted) is not a reference to an attachment",
                "Only cid: URLs are followed; nothing is ever fetched.", "Correct the program that creates the message."
            )
        case .missingAttachment(let id, _):
            (
                "missing-attachment", "The message has no attachment \(id.quoted)", "The value is missing.",
                "Correct the program that creates the message."
            )
        case .attachmentNotLoaded(let id, _):
            (
                "attachment-not-loaded", "The attachment \(id.quoted) is not in memory",
                "Its bytes are needed immediately, but they are in a file or not received yet.", "Load the value first."
            )
        case .attachmentTooLarge(let limit, _):
            (
                "attachment-too-large", "The attachment has more than \(limit) bytes",
                "Larger attachments are not read into memory.",
                "Raise the limit, or read the attachment piece by piece."
            )
        }
    }
}

extension XMLPlace {
    /// The location as the end of a sentence.
    fileprivate var phrase: String {
        if path.isEmpty { return "" }
        return ", in \(path)" + (line.map { ", line \($0)" } ?? "")
    }
}

extension XMLName? {
    fileprivate var phrase: String { map { "found \($0)" } ?? "found nothing" }
}

extension String {
    /// The text in quotation marks, shortened if it is too long.
    fileprivate var quoted: String { count > 100 ? "\"\(prefix(100))...\"" : "\"\(self)\"" }
}

extension XMLFacet {
    fileprivate var phrase: String {
        switch self {
        case .length(let length): "has another length than \(length)"
        case .minimumLength(let length): "is shorter than \(length)"
        case .maximumLength(let length): "is longer than \(length)"
        case .patterns(let patterns): "does not match \(patterns.map(\.quoted).joined(separator: " or "))"
        case .minimumInclusive(let bound): "is less than \(bound)"
        case .minimumExclusive(let bound): "is not greater than \(bound)"
        case .maximumInclusive(let bound): "is greater than \(bound)"
        case .maximumExclusive(let bound): "is not less than \(bound)"
        case .totalDigits(let digits): "has more than \(digits) digits"
        case .fractionDigits(let digits): "has more than \(digits) digits after the point"
        case .enumeration(let values): "is none of \(values.prefix(10).map(\.quoted).joined(separator: ", "))"
        case .fixed(let value): "is not \(value.quoted)"
        }
    }
}

extension XMLValueError {
    package static var examples: [Self] {
        let place = XMLPlace(path: "Envelope/Body/GetPriceResponse/price", line: 7)
        let price = XMLName("price", in: "urn:shop")
        return [
            .wrongRoot(expected: price, found: XMLName("html")), .missingElement(price, found: nil, at: place),
            .unexpectedElement(price, at: place), .unexpectedText("12", at: place),
            .missingAttribute(XMLName("currency"), at: place), .unexpectedAttribute(XMLName("unit"), at: place),
            .noChoice(group: "Payment", found: price, at: place),
            .unknownType(price, at: place), .unexpectedNull(at: place), .contentInNull(at: place),
            .invalid(text: "12,50", type: "decimal", at: place), .doesNotFit(text: "300", type: "byte", at: place),
            .facet(.maximumInclusive("100"), value: "101", at: place), .pattern("[", at: place),
            .longPatternText(maximumByteCount: 64 << 10, at: place), .undeclaredPrefix("p", at: place),
            .character(1, at: place), .name("a b", at: place), .repeatedAttribute(price, at: place),
            .misplaced(at: place), .tooDeep(depth: 256, at: place), .partialArray(at: place),
            .missingReference("id1", at: place), .circularReference("id1", at: place),
            .repeatedIdentifier("id1", at: place), .tooManyReferences(limit: 10_000, at: place),
            .attachmentReference("file:///etc/passwd", at: place), .missingAttachment("a@b", at: place),
            .attachmentNotLoaded("a@b", at: place), .attachmentTooLarge(maximumByteCount: 64 << 20, at: place),
        ]
    }
}
