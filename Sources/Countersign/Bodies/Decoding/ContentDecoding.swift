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

extension Response {
    /// The response as it is delivered: its codings are taken off where the session asked for them and knows them all.
    ///
    /// - Throws: ``SessionError/malformedContentCoding(_:_:)`` where there are too many.
    func decoded(for request: Request, limit: ExpansionLimit) throws(SessionError) -> Response {
        guard request.headerFields[.acceptEncoding] == nil, request.method != .head,
            ![204, 206, 304].contains(status.code)
        else { return self }
        return try decoded(limit: limit)
    }

    /// The response without the codings of its body; as it is where one of them is unknown.
    ///
    /// - Throws: ``SessionError/malformedContentCoding(_:_:)`` where there are too many.
    func decoded(limit: ExpansionLimit) throws(SessionError) -> Response {
        guard let codings = ContentCoding.list(headerFields[.contentEncoding]), !codings.isEmpty else { return self }
        guard codings.count <= ContentCoding.limit else {
            throw .malformedContentCoding(connection.peer, .tooMany(limit: ContentCoding.limit))
        }
        var fields = headerFields
        // Both are about the bytes that were sent.
        fields[.contentEncoding] = nil
        fields[.contentLength] = nil
        let decoding = ContentDecoding(codings: codings, limit: limit, peer: connection.peer)
        return Response(
            status: status, headerFields: fields, url: url, sharedReport: sharedReport, body: body.decoded(by: decoding)
        )
    }
}
