// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// What is to be done with a body before it is delivered.
struct ContentDecoding: Sendable {
    let codings: [ContentCoding]
    let limit: ExpansionLimit
    let peer: SessionError.Peer

    var decoder: ContentDecoder { ContentDecoder(codings, limit: limit) }

    func error(_ failure: ContentDecoder.Failure) -> SessionError {
        switch failure {
        case .malformed(let reason): .malformedContentCoding(peer, reason)
        case .expanded(let received, let decoded):
            .expansionLimitExceeded(peer, received: received, decoded: decoded)
        }
    }
}
