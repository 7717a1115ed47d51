// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct HTTPChallenge: Hashable, Sendable {
    /// A name and a value, such as `realm="intranet"`.
    public struct Parameter: Hashable, Sendable {
        /// The name, in lower case.
        public let name: String
        /// The value, without quotes and escapes.
        public let value: String

        /// Makes a parameter.
        ///
        /// Its name is converted to lower case.
        public init(name: String, value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    /// The scheme, in lower case.
    public let method: AuthenticationMethod
    /// The token68 after the scheme; `nil` if parameters follow it.
    public let token68: String?
    /// The parameters in the order sent.
    ///
    /// No name occurs twice.
    public let parameters: [Parameter]

    /// Makes a challenge without reading a field.
    ///
    /// - Parameters:
    ///   - method: The scheme.
    ///   - token68: The token68, which a challenge has instead of parameters; `nil` for none.
    ///   - parameters: The parameters, in the order sent; no name occurs twice.
    public init(method: AuthenticationMethod, token68: String? = nil, parameters: [Parameter] = []) {
        self.method = method
        self.token68 = token68
        self.parameters = parameters
    }

    /// The value of a parameter; `nil` where there is none of that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }

    /// The realm: the server's name for the protected resources, for display (RFC 9110 section 11.5); `nil` where it names none.
    public var realm: String? { self["realm"] }

    /// Whether the server rejected only the nonce as too old, so that the same credential may be sent again (RFC 7616 section 3.3).
    public var isStale: Bool { self["stale"]?.lowercased() == "true" }
}

extension HTTPChallenge {
    /// The largest size of all field values together that is parsed, in bytes.
    public static let sizeLimit = 64 * 1024

    /// The largest number of challenges that is parsed.
    public static let countLimit = 64

    /// The largest number of parameters of one challenge that is parsed.
    public static let parameterLimit = 64

    /// Parses the challenges of one response.
    ///
    /// Each field is parsed by itself. A malformed field is passed over as long as another one is well-formed, so that a malformed
    /// challenge does not hide a good one. If all are malformed, the first one's error is thrown.
    ///
    /// - Parameter fieldValues: The values of all `WWW-Authenticate` (or all `Proxy-Authenticate`) fields.
    /// - Returns: The challenges in the order sent; empty where there are no fields.
    /// - Throws: ``HTTPChallengeError`` where all fields are malformed, or exceed ``sizeLimit`` or ``countLimit``.
    public static func parse(_ fieldValues: [String]) throws(HTTPChallengeError) -> [HTTPChallenge] {
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        var challenges: [HTTPChallenge] = []
        var firstError: HTTPChallengeError?
        for value in fieldValues {
            do {
                var parser = HTTPChallengeParser(value)
                challenges += try parser.parse()
            } catch {
                firstError = firstError ?? error
            }
        }
        if challenges.isEmpty, let firstError { throw firstError }
        guard challenges.count <= countLimit else { throw .tooMany(limit: countLimit) }
        return challenges
    }
}

/// The parameters of `Authentication-Info` or `Proxy-Authentication-Info`, which a server sends when it accepts a credential (RFC 7615).
public struct HTTPAuthenticationInfo: Hashable, Sendable {
    /// The parameters in the order sent.
    ///
    /// No name occurs twice.
    public let parameters: [HTTPChallenge.Parameter]

    /// Reads the fields of one response; `nil` where there are none.
    ///
    /// - Parameter fieldValues: The values of all fields with one of the two names.
    /// - Throws: ``HTTPChallengeError`` where a field is malformed, or the fields are too large. Unlike a malformed challenge, it cannot be
    ///   passed over.
    public init?(_ fieldValues: [String]) throws(HTTPChallengeError) {
        guard !fieldValues.isEmpty else { return nil }
        let limit = HTTPChallenge.sizeLimit
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= limit else { throw .tooLarge(limit: limit) }
        var parser = HTTPChallengeParser(fieldValues.joined(separator: ", "))
        parameters = try parser.parseParameters()
    }

    /// The value of a parameter; `nil` where there is none of that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }
}

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
