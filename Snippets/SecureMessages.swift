// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module WSSecurity.

import Identities
import WSSecurity
import X509

func send(_ envelope: [UInt8], identity: Identity) async throws -> [UInt8] {
    let sent = try await MessageSecurity.x509(identity).secure(envelope)
    return sent
}

func receive(_ received: [UInt8], root: Certificate) throws -> VerifiedMessage {
    var replays = ReplayCache()
    let verifier = SecurityVerifier(policy: SecurityPolicy(anchors: [root]))
    let message = try verifier.verify(received, replays: &replays)
    return message
}
