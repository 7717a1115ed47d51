// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why an NTLM exchange cannot go on; no case holds anything secret.
@nonexhaustive
public enum NTLMError: Error, Hashable, Sendable {
    /// What a server must agree to before a password is proved to it.
    public enum Feature: Hashable, Sendable {
        /// Text in UTF-16 (`NTLMSSP_NEGOTIATE_UNICODE`).
        case unicode
        /// The NTLM protocol itself (`NTLMSSP_NEGOTIATE_NTLM`).
        case ntlm
        /// Session security of NTLMv2 (`NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY`).
        case extendedSessionSecurity
    }

    /// What is too long for the 16 bits of a length.
    public enum Part: Hashable, Sendable {
        case user
        case domain
        case workstation
        case service
        /// The answer as a whole, which repeats what the server sent.
        case response
    }

    /// An empty user would be an anonymous logon, which proves nothing.
    case emptyUser
    /// NTLM hashes a password as UTF-16, so its bytes have to be UTF-8.
    case passwordNotUTF8
    /// A part does not fit into a message.
    case tooLong(Part)
    /// The header field's token is not base64.
    case malformedToken
    /// What the server sent is no CHALLENGE_MESSAGE.
    case notAChallenge
    /// The server answered the negotiation without a challenge, as when its next answer came over another connection.
    case missingChallenge
    /// The challenge ends early, or a field of it points out of it.
    case truncated
    /// The server does not agree to something without which NTLM is too weak.
    case refusedFeature(Feature)
    /// The target information has no end mark.
    case unterminatedTargetInformation
    /// An attribute of the target information comes twice.
    case duplicateAttribute(UInt16)
    /// An attribute of the target information has a length that it cannot have.
    case malformedAttribute(UInt16)
    /// A challenge came before the negotiation or after the answer; an exchange answers one challenge.
    case outOfTurn
}
