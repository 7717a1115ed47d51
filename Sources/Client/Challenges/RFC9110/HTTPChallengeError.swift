// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The defect of a challenge field (RFC 9110 section 11), or of the field that comes with acceptance (RFC 7615).
@nonexhaustive
public enum HTTPChallengeError: Error, Hashable, Sendable {
    /// A field's value has something at this byte, counted from 0, that no challenge can have there.
    case malformed(offset: Int)
    /// A quoted string that starts at this byte, counted from 0, has no closing quote.
    case unterminatedString(offset: Int)
    /// One challenge gives one parameter two values, so that it is unclear which is meant. Holds the parameter's name.
    case repeatedParameter(String)
    /// The fields together are larger than the limit, which is in bytes.
    case tooLarge(limit: Int)
    /// The fields have more challenges than the limit.
    case tooMany(limit: Int)
    /// One challenge has more parameters than the limit.
    case tooManyParameters(limit: Int)
}

extension HTTPChallengeError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation { parts.explanation }

    /// What happened, to stand after a colon, such as "the server sent more than 64 challenges".
    package var clause: String { parts.clause }

    private var parts: ClausedExplanation {
        switch self {
        case .malformed(let offset):
            ClausedExplanation(
                "challenge.malformed", "the authentication field is malformed at byte \(offset)",
                reason: "The field does not follow RFC 9110 section 11, so it is unclear what the server asks for.",
                advice: "Ask the server's operator to correct the field.")
        case .unterminatedString(let offset):
            ClausedExplanation(
                "challenge.unterminated-string",
                "the quoted string that begins at byte \(offset) of the authentication field has no closing quote",
                reason: "Everything after the quote would belong to one parameter, so the field may have been cut off.",
                advice: "Ask the server's operator to correct the field.")
        case .repeatedParameter(let name):
            ClausedExplanation(
                "challenge.repeated-parameter", "one challenge gives the parameter \(name) two different values",
                reason: "It is unclear which value is meant (RFC 9110 section 11.2).",
                advice: "Ask the server's operator to send the parameter once.")
        case .tooLarge(let limit):
            ClausedExplanation(
                "challenge.too-large", "the authentication fields are larger than \(limit) bytes",
                reason: "Larger fields are not read, because they could keep this side busy.",
                advice: "Ask the server's operator to send shorter fields.")
        case .tooMany(let limit):
            ClausedExplanation(
                "challenge.too-many", "the server sent more than \(limit) challenges",
                reason: "More challenges are not read, because they could keep this side busy.",
                advice: "Ask the server's operator to offer fewer methods.")
        case .tooManyParameters(let limit):
            ClausedExplanation(
                "challenge.too-many-parameters", "one challenge has more than \(limit) parameters",
                reason: "More parameters are not read, because they could keep this side busy.",
                advice: "Ask the server's operator to send only the parameters that the method needs.")
        }
    }

    package static var examples: [Self] {
        [
            .malformed(offset: 12), .unterminatedString(offset: 20), .repeatedParameter("nonce"),
            .tooLarge(limit: HTTPChallenge.sizeLimit), .tooMany(limit: HTTPChallenge.countLimit),
            .tooManyParameters(limit: HTTPChallenge.parameterLimit),
        ]
    }
}
