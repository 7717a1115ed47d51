// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why an authenticator cannot answer.
@nonexhaustive
public enum HTTPAuthenticatorError: Error, Hashable, Sendable {
    /// The part of a credential or of a request that an answer cannot carry.
    public enum Part: Hashable, Sendable {
        /// The user name.
        case user
        /// The password.
        case password
        /// The request-target, or the host, of the request.
        case target
    }

    /// Why a text cannot be prepared for SCRAM (RFC 4013).
    public enum Unpreparable: Hashable, Sendable {
        /// The bytes of the text are not UTF-8.
        case notUTF8
        /// The text has a character that is invisible or has no fixed meaning (section 2.3).
        case prohibitedCharacter
        /// The text has a character that is not in Unicode 3.2 (section 2.5).
        case unassignedCharacter
        /// The text has right-to-left characters beside left-to-right ones, or not at both its ends (section 2.4).
        case mixedDirections
        /// The text has only characters that the profile leaves out (section 2.1).
        case nothingLeft
    }

    /// The scheme needs another kind of credential. Holds the scheme.
    case unsuitableCredential(AuthenticationMethod)
    /// The challenge lacks a parameter without which it cannot be answered. Holds the parameter's name.
    case missingParameter(String)
    /// Basic cannot carry a user with a colon (RFC 7617 section 2).
    case colonInUser
    /// The part has a control character, which could end the header field and begin another one.
    case controlCharacter(Part)
    /// The part has another length than SOCKS can carry (RFC 1929 section 2): a user has 1 byte up to the limit, a password 0.
    case wrongLength(Part, limit: Int)
    /// The server requires a hash of the request's body (`qop=auth-int`, RFC 7616 section 3.4), and the body is streamed.
    case unknownBody
    /// A nonce of Digest was used 2^32 - 1 times, as often as its counter allows (RFC 7616 section 3.4).
    case nonceExhausted
    /// A bearer token has characters that no bearer token can have (RFC 6750 section 2.1).
    case malformedToken
    /// An NTLM exchange failed.
    case ntlm(NTLMError)
    /// The scheme is too weak for a connection without TLS, and is not allowed there.
    case needsTLS
    /// A mechanism outside this library failed, such as the system's GSSAPI. Holds the mechanism's own description, without secrets.
    case mechanism(String)
    /// The user or the password cannot be prepared for SCRAM (RFC 4013).
    case unpreparable(Part, Unpreparable)
    /// A message of the server does not have the form of the scheme.
    case malformedServerMessage
    /// SCRAM's iteration count is not allowed: a small one makes the password easy to guess, a large one costs the client much computing
    /// time. Holds the server's count and the allowed counts.
    case iterationCount(Int, allowed: ClosedRange<Int>)
    /// The server's proof that it knows the secret is missing or wrong, so another server may have answered.
    case wrongServerProof
}

extension String {
    /// Refuses what could end a header field or start another (RFC 9110 section 5.5).
    package func refuseControlCharacters(in part: HTTPAuthenticatorError.Part) throws(HTTPAuthenticatorError) {
        guard utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter(part) }
    }
}
