// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The proof itself, and the key that both sides have after it (MS-NLMP sections 2.2.2.7, 2.2.2.8 and 3.3.2).
struct NTLMResponse {
    /// NTLMv2_RESPONSE.
    let bytes: [UInt8]
    /// SessionBaseKey: for NTLMv2 without key exchange also the key of the messages' integrity code.
    let sessionKey: NTLMKey

    init(
        to serverChallenge: [UInt8], key: NTLMKey, time: [UInt8], clientChallenge: UInt64,
        targetInformation: NTLMTargetInformation
    ) {
        var body: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0]
        body += time
        body.append(littleEndian: clientChallenge)
        body += [0, 0, 0, 0]
        body += targetInformation.encoded
        body += [0, 0, 0, 0]
        let proof = key.code(serverChallenge, body)
        bytes = proof + body
        var sessionKey = key.code(proof)
        self.sessionKey = NTLMKey(erasing: &sessionKey)
    }
}
