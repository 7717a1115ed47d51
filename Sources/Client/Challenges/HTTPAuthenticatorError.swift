// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The reason why an authenticator cannot answer.
@nonexhaustive
public enum HTTPAuthenticatorError: Error, Hashable, Sendable {
    /// The part of a credential or of a request that does not fit into an answer.
    @nonexhaustive
    public enum Part: Hashable, Sendable {
        /// The user name.
        case user
        /// The password.
        case password
        /// The request-target or the host.
        case target
    }

    /// The reason why a text cannot be prepared for SCRAM (RFC 4013).
    @nonexhaustive
    public enum Unpreparable: Hashable, Sendable {
        /// The bytes of the text are not UTF-8.
        case notUTF8
        /// The text contains a character that is invisible or has no fixed meaning (section 2.3).
        case prohibitedCharacter
        /// The text contains a character that is not in Unicode 3.2 (section 2.5).
        case unassignedCharacter
        /// The text contains right-to-left characters together with left-to-right ones, or not at both its ends
        /// (section 2.4).
        case mixedDirections
        /// The text contains only characters that the profile removes (section 2.1).
        case nothingLeft
    }

    /// The scheme needs another kind of credential. Holds the scheme.
    case unsuitableCredential(AuthenticationMethod)
    /// The challenge lacks a required parameter. Holds the parameter's name.
    case missingParameter(String)
    /// Basic does not allow a colon in the user (RFC 7617 section 2).
    case colonInUser
    /// The part contains a control character, which could end the header field and begin another one.
    case controlCharacter(Part)
    /// The length of the part does not fit SOCKS (RFC 1929 section 2): a user has at least 1 byte, and a password may
    /// be empty.
    case wrongLength(Part, limit: Int)
    /// The server requires a hash of the request's body (`qop=auth-int`, RFC 7616 section 3.4),
    /// and the body is streamed.
    case unknownBody
    /// A Digest nonce was used 2^32 - 1 times, the maximum of its counter (RFC 7616 section 3.4).
    case nonceExhausted
    /// A bearer token contains characters that are not allowed (RFC 6750 section 2.1).
    case malformedToken
    /// An NTLM exchange failed.
    case ntlm(NTLMError)
    /// The scheme is too weak for a connection without TLS, and is not allowed there.
    case needsTLS
    /// A mechanism outside this library failed, such as the system's GSSAPI.
    /// Holds the mechanism's own message, without secrets.
    case mechanism(String)
    /// The user or the password cannot be prepared for SCRAM (RFC 4013).
    case unpreparable(Part, Unpreparable)
    /// A server message does not have the format of the scheme.
    case malformedServerMessage
    /// SCRAM's iteration count is outside the allowed range: a low count makes the password easy to guess, a high one
    /// costs the client much computing time. Holds the server's count and the allowed counts.
    case iterationCount(Int, allowed: ClosedRange<Int>)
    /// The server's proof that it knows the secret is missing or wrong, so another server may have answered.
    case wrongServerProof
}

extension String {
    /// Throws if the text contains a character that could end a header field or start another (RFC 9110 section 5.5).
    package func refuseControlCharacters(in part: HTTPAuthenticatorError.Part) throws(HTTPAuthenticatorError) {
        guard utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(part) }
    }
}

extension HTTPAuthenticatorError: CataloguedError {
    /// The explanation of the error: the problem, its cause, and possible solutions.
    public var explanation: ErrorExplanation {
        if case .ntlm(let error) = self { return error.explanation }
        return parts.explanation
    }

    /// The problem as a clause after a colon, such as "the nonce was used as often as its counter allows".
    package var clause: String {
        if case .ntlm(let error) = self { return error.clause }
        return parts.clause
    }

    private var parts: ClausedExplanation {
        switch self {
        case .ntlm(let error): error.parts
        case .unsuitableCredential(let method):
            ClausedExplanation(
                "credential.unsuitable", "the credential is not of the kind that \(method) takes",
                reason: "Each method accepts its own kind of credential: \(method) takes \(method.suitableCredential).",
                advice: "Give \(method.suitableCredential).")
        case .missingParameter(let name):
            ClausedExplanation(
                "credential.missing-parameter", "the challenge has no parameter \(name)",
                reason: "The method cannot compute an answer without it.",
                advice: "Ask the server's operator to send it, or to offer another method.")
        case .colonInUser:
            ClausedExplanation(
                "credential.colon-in-user", "the user name has a colon, which Basic does not allow",
                reason: "The server would split user and password at the wrong colon (RFC 7617 section 2).",
                advice: "Use a user name without a colon, or ask the server's operator to offer another method.")
        case .controlCharacter(.target):
            ClausedExplanation(
                "credential.control-character-in-target", "the request's target has a control character",
                reason: "The answer contains the target, and a control character could end the header field.",
                advice: "Percent-encode the character in the URL.")
        case .controlCharacter(let part):
            ClausedExplanation(
                "credential.control-character", "the \(part.words) has a control character",
                reason: "A control character could end the header field and begin another one.",
                advice: "Remove the character. A text that was read from a file may have a line break at its end.")
        case .wrongLength(let part, let limit):
            ClausedExplanation(
                "credential.wrong-length",
                "the \(part.words) is \(part == .password ? "" : "empty or ")longer than \(limit) bytes",
                reason: "SOCKS 5 sends the length of each in one byte (RFC 1929 section 2).",
                advice: "Use a shorter user name or password for the proxy, and do not leave the user name empty.")
        case .unknownBody:
            ClausedExplanation(
                "credential.unknown-body", "the challenge requires a hash of the request's body, which is streamed",
                reason: "The server accepts only qop=auth-int (RFC 7616 section 3.4).",
                advice: "Send the body as bytes, or ask the server's operator to offer qop=auth.")
        case .nonceExhausted:
            ClausedExplanation(
                "credential.nonce-exhausted", "the nonce was used as often as its counter allows",
                reason: "Digest counts the uses of a nonce in 32 bits, and the server sent no new nonce.",
                advice: "Start again, which gets a new nonce.")
        case .malformedToken:
            ClausedExplanation(
                "credential.malformed-token", "the token has characters that a bearer token cannot have",
                reason: "A bearer token has letters, digits and -._~+/, with = only at its end (RFC 6750 section 2.1).",
                advice: "Check that the token is complete, and that it has no space and no line break.")
        case .needsTLS:
            ClausedExplanation(
                "credential.needs-tls", "the connection has no TLS, and the method is too weak without it",
                reason: "An eavesdropper could guess the password from the answer.",
                advice: "Use https, or allow the method over plain http if you trust the network.")
        case .mechanism(let words):
            ClausedExplanation(
                "credential.mechanism", words.isEmpty ? "the authentication mechanism gives no reason" : words,
                reason: "This is the mechanism's own message. For Negotiate the mechanism is the system's GSSAPI.",
                advice: "For Negotiate, check with klist that there is a valid ticket, and get one with kinit.")
        case .unpreparable(let part, let reason): reason.parts(of: part)
        case .malformedServerMessage:
            ClausedExplanation(
                "credential.malformed-server-message", "the server's message does not have the method's format",
                reason: "The answer is computed from this message, so the exchange cannot go on.",
                advice: "Ask the server's operator to check the server, or to offer another method.")
        case .iterationCount(let count, let allowed) where count > allowed.upperBound:
            ClausedExplanation(
                "credential.iteration-count-too-large",
                "the server's iteration count of \(count) is above the limit of \(allowed.upperBound)",
                reason: "Each iteration costs computing time on this side, and the server chooses the count.",
                advice: "If you trust the server, raise the limit to \(count).")
        case .iterationCount(let count, let allowed):
            ClausedExplanation(
                "credential.iteration-count-too-small",
                "the server's iteration count of \(count) is below the minimum of \(allowed.lowerBound)",
                reason: "A small count makes the password easy to guess from the answer (RFC 7677 section 4).",
                advice: "Ask the server's operator to set a larger count and to store the passwords again.")
        case .wrongServerProof:
            ClausedExplanation(
                "credential.wrong-server-proof",
                "the server's proof that it knows the password is missing or wrong",
                reason: "Another server may have answered in its place.",
                advice: "Check the server's address, and use https.")
        }
    }

    package static var examples: [Self] {
        [
            .unsuitableCredential(.bearer), .missingParameter("nonce"), .colonInUser, .controlCharacter(.target),
            .controlCharacter(.password), .wrongLength(.user, limit: 255), .unknownBody, .nonceExhausted,
            .malformedToken, .needsTLS, .mechanism("No Kerberos credentials available"), .malformedServerMessage,
            .iterationCount(1_000_000, allowed: 4_096...200_000), .iterationCount(1, allowed: 4_096...200_000),
            .wrongServerProof,
        ] + Unpreparable.allCases.map { .unpreparable(.password, $0) }
    }
}

extension HTTPAuthenticatorError.Part {
    fileprivate var words: String {
        switch self {
        case .user: "user name"
        case .password: "password"
        case .target: "request's target"
        }
    }
}

extension HTTPAuthenticatorError.Unpreparable {
    fileprivate static let allCases: [Self] = [
        .notUTF8, .prohibitedCharacter, .unassignedCharacter, .mixedDirections, .nothingLeft,
    ]

    fileprivate func parts(of part: HTTPAuthenticatorError.Part) -> ClausedExplanation {
        switch self {
        case .notUTF8:
            ClausedExplanation(
                "credential.not-utf8", "the \(part.words) is not UTF-8",
                reason: "SCRAM prepares user name and password as Unicode text (RFC 4013).",
                advice: "Convert it to UTF-8.")
        case .prohibitedCharacter:
            ClausedExplanation(
                "credential.prohibited-character", "the \(part.words) has a character that SCRAM prohibits",
                reason: "Characters that are invisible or have no fixed meaning are prohibited (RFC 4013 section 2.3).",
                advice: "Remove the character, or ask the server's operator to change the \(part.words).")
        case .unassignedCharacter:
            ClausedExplanation(
                "credential.unassigned-character",
                "the \(part.words) has a character that is not in Unicode 3.2, which SCRAM uses",
                reason: "Servers may prepare newer characters in different ways (RFC 4013 section 2.5).",
                advice: "Use a \(part.words) without the character, or another method.")
        case .mixedDirections:
            ClausedExplanation(
                "credential.mixed-directions",
                "the \(part.words) mixes right-to-left and left-to-right characters, which SCRAM prohibits",
                reason: "Right-to-left text may have no left-to-right characters (RFC 4013 section 2.4).",
                advice: "Use a \(part.words) in one direction, or another method.")
        case .nothingLeft:
            ClausedExplanation(
                "credential.nothing-left", "the \(part.words) has only characters that SCRAM removes",
                reason: "Invisible characters are removed (RFC 4013 section 2.1), so the text becomes empty.",
                advice: "Use a \(part.words) with visible characters.")
        }
    }
}
