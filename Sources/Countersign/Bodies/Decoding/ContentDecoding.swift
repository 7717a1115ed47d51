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

extension HTTPFields {
    /// Says what the body is, and what may be done with the response's, where the user did not.
    mutating func describeContent(of request: Request, decodes: Bool, asksForCompression: Bool) {
        if let type = request.body?.contentType { complete(.contentType, type) }
        guard decodes else { return }
        // A part of coded bytes cannot be decoded.
        complete(.acceptEncoding, contains(.range) || !asksForCompression ? "identity" : ContentCoding.accepted)
    }
}
