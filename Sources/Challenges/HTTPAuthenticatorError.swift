// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why an authenticator cannot answer.
@nonexhaustive
public enum HTTPAuthenticatorError: Error, Hashable, Sendable {
    /// The part of a credential that cannot be sent.
    public enum Part: Hashable, Sendable {
        case user
        case password
        case target
    }

    /// Why a text cannot be prepared for SCRAM (RFC 4013).
    public enum Unpreparable: Hashable, Sendable {
        case notUTF8
        /// A character that users cannot be relied on to type, or to see (section 2.3).
        case prohibitedCharacter
        /// A character that is younger than Unicode 3.2 (section 2.5).
        case unassignedCharacter
        /// Right-to-left characters beside left-to-right ones, or not at both ends (section 2.4).
        case mixedDirections
        /// The text has only characters that the profile leaves out (section 2.1).
        case nothingLeft
    }

    /// The scheme needs another kind of credential.
    case unsuitableCredential(AuthenticationMethod)
    /// The challenge lacks a parameter without which it cannot be answered.
    case missingParameter(String)
    /// Basic cannot carry a user with a colon (RFC 7617 section 2).
    case colonInUser
    /// A control character could break out of the header field.
    case controlCharacter(Part)
    /// SOCKS carries 1 to so many bytes of it, a password also of none (RFC 1929 section 2).
    case wrongLength(Part, limit: Int)
    /// The server wants the body vouched for, and it is not known before it is sent.
    case unknownBody
    /// A nonce was used as often as it can be counted.
    case nonceExhausted
    /// A bearer token has characters that none can have (RFC 6750 section 2.1).
    case malformedToken
    /// NTLM cannot go on.
    case ntlm(NTLMError)
    /// The scheme is too weak for a connection without TLS, and was not allowed there.
    case needsTLS
    /// What a scheme beyond this library ran into, such as the system's GSSAPI, in its own words and without secrets.
    case mechanism(String)
    /// SCRAM prepares user and password (RFC 4013), and one of them has no prepared form.
    case unpreparable(Part, Unpreparable)
    /// A message of the server makes no sense.
    case malformedServerMessage
    /// SCRAM's iteration count lies outside of what is allowed: a small one makes the password easy to guess, a large one keeps
    /// this side busy. Holds the server's count and the allowed ones.
    case iterationCount(Int, allowed: ClosedRange<Int>)
    /// The server tried to prove that it knows the secret, and failed: what answers is not the server that was meant.
    case wrongServerProof
}

extension String {
    /// Refuses what could end a header field or start another (RFC 9110 section 5.5).
    package func refuseControlCharacters(in part: HTTPAuthenticatorError.Part) throws(HTTPAuthenticatorError) {
        guard utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(part) }
    }
}
