// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
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
    /// The parameters in the order sent, with unique names.
    public let parameters: [Parameter]

    /// Makes a challenge without parsing a field.
    ///
    /// - Parameters:
    ///   - method: The scheme.
    ///   - token68: The token68, which replaces the parameters; `nil` for none.
    ///   - parameters: The parameters, in the order sent, with unique names.
    public init(method: AuthenticationMethod, token68: String? = nil, parameters: [Parameter] = []) {
        self.method = method
        self.token68 = token68
        self.parameters = parameters
    }

    /// The value of a parameter; `nil` if there is none with that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }

    /// The realm: the server's name for the protected resources, for display (RFC 9110 section 11.5); `nil` if the
    /// server names none.
    public var realm: String? { self["realm"] }

    /// Whether the server rejected only the nonce as too old, so that the same credential may be sent again (RFC 7616
    /// section 3.3).
    public var isStale: Bool { self["stale"]?.lowercased() == "true" }

    /// Whether the message of Negotiate rejects the client: a `NegTokenResp` whose state is `reject` (RFC 4178 section
    /// 4.2.2).
    package var isRejection: Bool {
        guard method == .negotiate, let token68, let bytes = Base64.decode(token68, as: .mime) else { return false }
        var rest = bytes[...]
        for tag: UInt8 in [0xA1, 0x30] {
            guard rest.popFirst() == tag, let length = rest.popFirst() else { return false }
            if length > 0x80 { rest = rest.dropFirst(Int(length & 0x7F)) }
        }
        return rest.starts(with: [0xA0, 0x03, 0x0A, 0x01, 0x02])
    }
}

extension HTTPChallenge {
    /// The maximum size of all field values together, in bytes.
    public static let sizeLimit = 64 * 1024

    /// The maximum number of challenges.
    public static let countLimit = 64

    /// The maximum number of parameters in one challenge.
    public static let parameterLimit = 64

    /// Parses the challenges of one response.
    ///
    /// A challenge is read if it has one plain meaning, even if it breaks the grammar: with quotes and backslashes that
    /// the server did not escape, values without quotes, and missing commas. A challenge that cannot be read is skipped
    /// if another one can. Basic is read even if its parameters cannot be.
    ///
    /// - Parameter fieldValues: The values of all `WWW-Authenticate` (or all `Proxy-Authenticate`) fields.
    /// - Returns: The challenges in the order sent; empty if there are no fields.
    /// - Throws: ``HTTPChallengeError`` if no challenge can be read, or the fields exceed ``sizeLimit`` or
    ///   ``countLimit``.
    public static func parse(_ fieldValues: [String]) throws(HTTPChallengeError) -> [HTTPChallenge] {
        let reading = read(fieldValues)
        if reading.challenges.isEmpty, let problem = reading.problems.first { throw problem.error }
        return reading.challenges
    }

    /// The challenges of a response, and the problems of those that cannot be read.
    package struct Reading: Hashable, Sendable {
        /// The reason why a challenge cannot be read.
        package struct Problem: Hashable, Sendable {
            /// The scheme of the challenge; `nil` if it is unknown.
            package let method: AuthenticationMethod?
            package let error: HTTPChallengeError
        }

        package internal(set) var challenges: [HTTPChallenge] = []
        package internal(set) var problems: [Problem] = []

        var count: Int { challenges.count + problems.count }
    }

    /// Reads the challenges of one response like ``parse(_:)``, and reports the problems instead of throwing the first.
    package static func read(_ fieldValues: [String]) -> Reading {
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= sizeLimit else {
            return Reading(problems: [.init(method: nil, error: .tooLarge(limit: sizeLimit))])
        }
        var reading = Reading()
        for value in fieldValues where reading.count <= countLimit {
            var parser = HTTPChallengeParser(value)
            let field = parser.read()
            reading.challenges += field.challenges
            reading.problems += field.problems
        }
        guard reading.count <= countLimit else {
            return Reading(problems: [.init(method: nil, error: .tooMany(limit: countLimit))])
        }
        return reading
    }
}

/// The parameters of `Authentication-Info` or `Proxy-Authentication-Info`, which a server sends when it accepts a
/// credential (RFC 7615).
public struct HTTPAuthenticationInfo: Hashable, Sendable {
    /// The parameters in the order sent, with unique names.
    public let parameters: [HTTPChallenge.Parameter]

    /// Reads the fields of one response; the result is `nil` if there are none.
    ///
    /// - Parameter fieldValues: The values of all fields with one of the two names.
    /// - Throws: ``HTTPChallengeError`` if a field is malformed, or the fields are too large. Unlike a malformed
    ///   challenge, a malformed field cannot be skipped.
    public init?(_ fieldValues: [String]) throws(HTTPChallengeError) {
        guard !fieldValues.isEmpty else { return nil }
        let limit = HTTPChallenge.sizeLimit
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= limit else { throw .tooLarge(limit: limit) }
        var parser = HTTPChallengeParser(fieldValues.joined(separator: ", "), isStrict: true)
        parameters = try parser.parseParameters()
    }

    /// The value of a parameter; `nil` if there is none with that name.
    ///
    /// - Parameter name: The name of the parameter, compared without regard to case.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name.lowercased() }?.value
    }
}

/// The reason why a challenge field (RFC 9110 section 11) or an authentication information field
/// (RFC 7615) is malformed.
@nonexhaustive
public enum HTTPChallengeError: Error, Hashable, Sendable {
    /// A field's value has an unexpected byte. Holds its offset, counted from 0.
    case malformed(offset: Int)
    /// A quoted string has no closing quote. Holds the offset of its opening quote, counted from 0.
    case unterminatedString(offset: Int)
    /// A quoted string may end at several places, because a quote is missing or not escaped. Holds the offset of its
    /// opening quote, counted from 0.
    case ambiguousString(offset: Int)
    /// One challenge has a parameter with two different values. Holds the parameter's name.
    case repeatedParameter(String)
    /// The size of all fields together exceeds the limit, in bytes.
    case tooLarge(limit: Int)
    /// The fields have more challenges than the limit.
    case tooMany(limit: Int)
    /// One challenge has more parameters than the limit.
    case tooManyParameters(limit: Int)
}

extension HTTPChallengeError: CataloguedError {
    /// The explanation of the error: the problem, its cause, and possible solutions.
    public var explanation: ErrorExplanation { parts.explanation }

    /// The problem as a clause after a colon, such as "the server sent more than 64 challenges".
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
        case .ambiguousString(let offset):
            ClausedExplanation(
                "challenge.ambiguous-string",
                "the quoted string that begins at byte \(offset) of the authentication field may end at several places",
                reason: "A quote is missing or not escaped, so other parameters may be part of the string or not.",
                advice: "Ask the server's operator to correct the field.")
        case .repeatedParameter(let name):
            ClausedExplanation(
                "challenge.repeated-parameter", "one challenge gives the parameter \(name) two different values",
                reason: "It is unclear which value is meant (RFC 9110 section 11.2).",
                advice: "Ask the server's operator to send the parameter once.")
        case .tooLarge(let limit):
            ClausedExplanation(
                "challenge.too-large", "the authentication fields are larger than \(limit) bytes",
                reason: "Larger fields are not read, because parsing them could take too long.",
                advice: "Ask the server's operator to send shorter fields.")
        case .tooMany(let limit):
            ClausedExplanation(
                "challenge.too-many", "the server sent more than \(limit) challenges",
                reason: "More challenges are not read, because parsing them could take too long.",
                advice: "Ask the server's operator to offer fewer methods.")
        case .tooManyParameters(let limit):
            ClausedExplanation(
                "challenge.too-many-parameters", "one challenge has more than \(limit) parameters",
                reason: "More parameters are not read, because parsing them could take too long.",
                advice: "Ask the server's operator to send only the parameters that the method needs.")
        }
    }

    package static var examples: [Self] {
        [
            .malformed(offset: 12), .unterminatedString(offset: 20), .ambiguousString(offset: 13),
            .repeatedParameter("nonce"),
            .tooLarge(limit: HTTPChallenge.sizeLimit), .tooMany(limit: HTTPChallenge.countLimit),
            .tooManyParameters(limit: HTTPChallenge.parameterLimit),
        ]
    }
}
