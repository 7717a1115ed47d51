// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// Delivers bodies without the codings that were applied for their transfer (RFC 9110 section 8.4).
struct ContentDecodingStage: RequestStage {
    let limit: ExpansionLimit

    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        var outcome = try await next(request)
        outcome.response = try outcome.response.decoded(for: request.request, limit: limit)
        return outcome
    }
}

extension Response {
    /// The response as it is delivered: its codings are taken off where the session asked for them and knows them all.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` where there are too many.
    fileprivate func decoded(for request: Request, limit: ExpansionLimit) throws(SessionError) -> Response {
        guard request.headerFields[.acceptEncoding] == nil, request.method != .head,
            ![204, 206, 304].contains(status.code)
        else { return self }
        return try decoded(limit: limit)
    }

    /// The response without the codings of its body; as it is where one of them is unknown.
    ///
    /// - Throws: ``SessionError`` of ``BodyError/malformedContentCoding(_:_:)`` where there are too many.
    func decoded(limit: ExpansionLimit) throws(SessionError) -> Response {
        guard let codings = ContentCoding.list(headerFields[.contentEncoding]), !codings.isEmpty else { return self }
        guard codings.count <= ContentCoding.limit else {
            throw .body(.malformedContentCoding(connection.peer, .tooMany(limit: ContentCoding.limit)))
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
