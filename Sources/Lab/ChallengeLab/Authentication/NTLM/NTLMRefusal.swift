// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a server does not let an NTLM client in.
package enum NTLMRefusal: Error, Hashable, Sendable {
    /// Not the message that is due, or none of NTLM's.
    case unexpectedMessage
    /// A field points out of the message, or the attributes have no end.
    case malformed
    /// The client does not offer Unicode and NTLM.
    case tooWeak
    /// LM or NTLMv1, or an anonymous answer.
    case notVersionTwo
    case unknownUser
    case wrongProof
    /// The answer does not repeat what the server said of itself.
    case otherAttributes
    /// The server told its time, so the messages have to be covered by a code (MS-NLMP section 3.1.5.1.2).
    case missingIntegrityCode
    case wrongIntegrityCode
    /// Sixteen zeros included: they say that there is no binding (MS-NLMP section 2.2.2.1).
    case missingChannelBinding
    case foreignChannelBinding
    case missingTargetName
    case foreignTargetName
}
