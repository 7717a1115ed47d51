// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The reason why an NTLM exchange failed.
///
/// No case holds a secret.
@nonexhaustive
public enum NTLMError: Error, Hashable, Sendable {
    /// A feature that a server must accept before the client proves the password to it (MS-NLMP section 2.2.2.5).
    @nonexhaustive
    public enum Feature: Hashable, Sendable {
        /// UTF-16 text (`NTLMSSP_NEGOTIATE_UNICODE`).
        case unicode
        /// The NTLM protocol itself (`NTLMSSP_NEGOTIATE_NTLM`).
        case ntlm
        /// NTLMv2 session security (`NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY`).
        case extendedSessionSecurity
    }

    /// A part of a message whose length may exceed 16 bits.
    @nonexhaustive
    public enum Part: Hashable, Sendable {
        /// The user name.
        case user
        /// The domain of the user.
        case domain
        /// The name of this machine.
        case workstation
        /// The name of the service.
        case service
        /// The complete answer, which repeats data from the server.
        case response
    }

    /// The user name is empty, which would be an anonymous logon without a proof.
    case emptyUser
    /// The bytes of the password are not UTF-8. NTLM hashes the password as UTF-16.
    case passwordNotUTF8
    /// A part is longer than 65,535 bytes, so that its length does not fit into a message.
    case tooLong(Part)
    /// The header field's token is not base64.
    case malformedToken
    /// The server's message is not a CHALLENGE_MESSAGE (MS-NLMP section 2.2.1.2).
    case notAChallenge
    /// The server answered the negotiation without a challenge, for example because a proxy had sent the negotiation
    /// over another connection.
    case missingChallenge
    /// The challenge ends early, or a field in it points past its end.
    case truncated
    /// The server does not accept a feature without which NTLM is too weak.
    case refusedFeature(Feature)
    /// The target information has no end mark (MS-NLMP section 2.2.2.1).
    case unterminatedTargetInformation
    /// An attribute of the target information occurs twice. Holds its number.
    case duplicateAttribute(UInt16)
    /// An attribute of the target information has an invalid length. Holds its number.
    case malformedAttribute(UInt16)
    /// A challenge arrived before the negotiation or after the answer; an exchange answers one challenge.
    case outOfTurn
}

extension NTLMError: CataloguedError {
    /// The explanation of the error: the problem, its cause, and possible solutions.
    public var explanation: ErrorExplanation { parts.explanation }

    /// The problem as a clause after a colon.
    package var clause: String { parts.clause }

    var parts: ClausedExplanation {
        switch self {
        case .emptyUser:
            ClausedExplanation(
                "ntlm.empty-user", "the user name is empty",
                reason: "An empty user name means an anonymous logon, which proves nothing.",
                advice: "Give a user name.")
        case .passwordNotUTF8:
            ClausedExplanation(
                "ntlm.password-not-utf8", "the password is not UTF-8",
                reason: "NTLM computes its answer from the password in UTF-16, so its bytes must be text.",
                advice: "Convert the password to UTF-8.")
        case .tooLong(.response):
            ClausedExplanation(
                "ntlm.response-too-long", "the answer to the server's challenge is longer than 65535 bytes",
                reason: "The answer repeats the server's data, and a length in NTLM has 16 bits.",
                advice: "Ask the server's operator to send less target information, or to offer another method.")
        case .tooLong(let part):
            ClausedExplanation(
                "ntlm.name-too-long", "the \(part.words) is longer than 65535 bytes",
                reason: "A length in NTLM has 16 bits.", advice: "Use a shorter name.")
        case .malformedToken:
            ClausedExplanation(
                "ntlm.malformed-token", "the server's NTLM message is not base64",
                reason: "NTLM messages are sent in base64, so this one cannot be read.",
                advice: "Ask the server's operator to correct it. A proxy may have changed the field.")
        case .notAChallenge:
            ClausedExplanation(
                "ntlm.not-a-challenge", "the server's message is not an NTLM challenge",
                reason: "A challenge begins with NTLMSSP and is a message of type 2 (MS-NLMP section 2.2.1.2).",
                advice: "Ask the server's operator to check the server, or to offer another method.")
        case .missingChallenge:
            ClausedExplanation(
                "ntlm.missing-challenge", "the server answered the negotiation without an NTLM challenge",
                reason: "NTLM authenticates one connection, and a proxy may have used another one for the answer.",
                advice: "Connect without the proxy, or ask the server's operator to keep the client's connection.")
        case .truncated:
            ClausedExplanation(
                "ntlm.truncated", "the server's NTLM challenge is cut off",
                reason: "The challenge ends early, or a field in it points past its end.",
                advice: "Try again. If it happens again, ask the server's operator to check the server.")
        case .refusedFeature(let feature):
            ClausedExplanation(
                "ntlm.refused-feature", "the server does not agree to \(feature.words), without which NTLM is too weak",
                reason: "The password would be easier to guess from the answer.",
                advice: "Ask the server's operator to allow it, or to offer another method.")
        case .unterminatedTargetInformation:
            ClausedExplanation(
                "ntlm.unterminated-target-information", "the target information of the NTLM challenge has no end mark",
                reason: "It is a list that must end with an attribute of type 0 (MS-NLMP section 2.2.2.1).",
                advice: "Ask the server's operator to check the server, or to offer another method.")
        case .duplicateAttribute(let number):
            ClausedExplanation(
                "ntlm.duplicate-attribute", "the NTLM challenge has the attribute \(number) twice",
                reason: "It is unclear which value is meant.",
                advice: "Ask the server's operator to check the server, or to offer another method.")
        case .malformedAttribute(let number):
            ClausedExplanation(
                "ntlm.malformed-attribute", "the attribute \(number) of the NTLM challenge has a wrong length",
                reason: "The length of this attribute is fixed (MS-NLMP section 2.2.2.1).",
                advice: "Ask the server's operator to check the server, or to offer another method.")
        case .outOfTurn:
            ClausedExplanation(
                "ntlm.out-of-turn", "the server sent an NTLM challenge at the wrong time",
                reason: "An exchange has one challenge, after the negotiation and before the answer.",
                advice: "Try again. If it happens again, ask the server's operator to check the server.")
        }
    }

    package static var examples: [Self] {
        [
            .emptyUser, .passwordNotUTF8, .tooLong(.response), .tooLong(.user), .malformedToken, .notAChallenge,
            .missingChallenge, .truncated, .refusedFeature(.extendedSessionSecurity), .unterminatedTargetInformation,
            .duplicateAttribute(7), .malformedAttribute(7), .outOfTurn,
        ]
    }
}

extension NTLMError.Part {
    fileprivate var words: String {
        switch self {
        case .user: "user name"
        case .domain: "domain"
        case .workstation: "workstation's name"
        case .service: "service's name"
        case .response: "answer"
        }
    }
}

extension NTLMError.Feature {
    fileprivate var words: String {
        switch self {
        case .unicode: "Unicode"
        case .ntlm: "NTLM itself"
        case .extendedSessionSecurity: "extended session security"
        }
    }
}
