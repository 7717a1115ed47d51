// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

extension NTLMError {
    /// What went wrong, to stand after a colon.
    var text: String {
        switch self {
        case .emptyUser: "the user is empty"
        case .passwordNotUTF8: "the password is not UTF-8"
        case .tooLong(let part): "the \(part) is too long"
        case .malformedToken: "its message is not base64"
        case .notAChallenge: "its message is no challenge"
        case .missingChallenge: "it sent no challenge, as if its connection had been replaced on the way"
        case .truncated: "its message is cut short"
        case .refusedFeature(let feature): "it does not agree to \(feature.text), without which NTLM is too weak"
        case .unterminatedTargetInformation: "what it says of itself has no end"
        case .duplicateAttribute(let number): "it says attribute \(number) of itself twice"
        case .malformedAttribute(let number): "its attribute \(number) has a wrong length"
        case .outOfTurn: "it asks again after the answer"
        }
    }
}

extension NTLMError.Feature {
    fileprivate var text: String {
        switch self {
        case .unicode: "Unicode"
        case .ntlm: "NTLM itself"
        case .extendedSessionSecurity: "extended session security"
        }
    }
}
