// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOHPACK

/// One stream that is open or half-closed (RFC 9113 section 5.1).
struct HTTP2StreamState {
    /// The next frames that the server may send (RFC 9113 section 8.1).
    private enum Response {
        case head
        /// DATA or trailers; `rest` is the number of outstanding body bytes, if the head states a length.
        case body(rest: Int?)
    }

    /// The kind of a HEADERS frame.
    enum Head {
        case information(HTTPResponse.Status)
        case response(HTTPResponse)
        case trailers
    }

    var sendWindow: HTTP2Window.Sending
    var receiveWindow = HTTP2Window.Receiving(HTTP2Window.streamSize)
    /// Whether the end of the request has been sent.
    var isLocallyClosed: Bool
    /// Whether the response has no body regardless of its length field, as for HEAD.
    private let isHead: Bool
    private var response = Response.head

    init(sendWindow: HTTP2Window.Sending, isLocallyClosed: Bool, isHead: Bool) {
        (self.sendWindow, self.isLocallyClosed, self.isHead) = (sendWindow, isLocallyClosed, isHead)
    }

    // MARK: The response

    /// Processes a header block, which the connection's reader converts into a head.
    ///
    /// - Throws: An error if the response is malformed (RFC 9113 section 8.1.1).
    mutating func receive(
        _ headers: HPACKHeaders, endStream: Bool, reader: inout HTTP2HeadReader
    ) throws(HTTP2StreamError) -> Head {
        switch response {
        case .body(let rest):
            guard endStream, rest ?? 0 == 0 else { throw .malformed }
            try HTTP2HeadReader.checkTrailers(headers)
            return .trailers
        case .head:
            let head = try reader.read(headers)
            if head.status.kind == .informational {
                // The exchange rejects 101, which HTTP/2 does not have (RFC 9113 section 8.6).
                guard !endStream || head.status == .switchingProtocols else { throw .malformed }
                return .information(head.status)
            }
            let rest = try bodyLength(of: head)
            guard !endStream || rest ?? 0 == 0 else { throw .malformed }
            response = .body(rest: rest)
            return .response(head)
        }
    }

    /// Returns the length of the body that a head states (RFC 9110 section 8.6).
    private func bodyLength(of head: HTTPResponse) throws(HTTP2StreamError) -> Int? {
        if isHead || head.status == .noContent || head.status == .notModified { return 0 }
        do {
            return try head.headerFields.combinedValue(of: .contentLength).map(ResponseFraming.length)
        } catch {
            throw .malformed
        }
    }

    /// Processes a part of the body.
    ///
    /// - Throws: An error if the response is malformed.
    mutating func receiveData(_ count: Int, endStream: Bool) throws(HTTP2StreamError) {
        guard case .body(let rest) = response else { throw .malformed }
        guard let rest else { return }
        guard count <= rest, !endStream || count == rest else { throw .malformed }
        response = .body(rest: rest - count)
    }
}
