// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why an NTLM exchange failed.
///
/// No case holds a secret.
@nonexhaustive
public enum NTLMError: Error, Hashable, Sendable {
    /// A feature that a server must agree to before the client proves the password to it (MS-NLMP section 2.2.2.5).
    public enum Feature: Hashable, Sendable {
        /// Text in UTF-16 (`NTLMSSP_NEGOTIATE_UNICODE`).
        case unicode
        /// The NTLM protocol itself (`NTLMSSP_NEGOTIATE_NTLM`).
        case ntlm
        /// Session security of NTLMv2 (`NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY`).
        case extendedSessionSecurity
    }

    /// A part of a message that can be too long for a length of 16 bits.
    public enum Part: Hashable, Sendable {
        /// The user name.
        case user
        /// The domain of the user.
        case domain
        /// The name of this machine.
        case workstation
        /// The name of the service that asks.
        case service
        /// The answer as a whole, which repeats what the server sent.
        case response
    }

    /// The user name is empty, which would be an anonymous logon that proves nothing.
    case emptyUser
    /// The bytes of the password are not UTF-8. NTLM hashes the password as UTF-16.
    case passwordNotUTF8
    /// A part is longer than 65,535 bytes, so that its length does not fit into a message.
    case tooLong(Part)
    /// The header field's token is not base64.
    case malformedToken
    /// The server's message is not a CHALLENGE_MESSAGE (MS-NLMP section 2.2.1.2).
    case notAChallenge
    /// The server answered the negotiation without a challenge, which happens if a proxy uses another connection for it.
    case missingChallenge
    /// The challenge ends early, or a field in it points past its end.
    case truncated
    /// The server does not agree to a feature without which NTLM is too weak.
    case refusedFeature(Feature)
    /// The target information has no end mark (MS-NLMP section 2.2.2.1).
    case unterminatedTargetInformation
    /// An attribute of the target information occurs twice. Holds its number.
    case duplicateAttribute(UInt16)
    /// An attribute of the target information has a length that it cannot have. Holds its number.
    case malformedAttribute(UInt16)
    /// A challenge came before the negotiation or after the answer; an exchange answers one challenge.
    case outOfTurn
}
