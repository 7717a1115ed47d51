// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One exchange over one stream (RFC 9113 section 8).
struct HTTP2Wire: ExchangeWire {
    static let servesSeveral = false

    private let streams: HTTP2Streams
    private var hasHead = false
    private var arrived: HTTP2Frame.FramePayload?

    init(_ streams: HTTP2Streams) {
        self.streams = streams
    }

    func write(
        _ exchange: HTTPExchange, whole: ByteBuffer?, to emit: (HTTP2Frame.FramePayload, _ isLast: Bool) -> Void
    ) throws {
        emit(try headers(of: exchange.request, endStream: whole == nil), whole == nil)
        guard var rest = whole else { return }
        repeat {
            let piece = rest.readPiece()
            emit(data(piece, endStream: rest.readableBytes == 0), rest.readableBytes == 0)
        } while rest.readableBytes > 0
    }

    func head(_ exchange: HTTPExchange) throws -> HTTP2Frame.FramePayload {
        try headers(of: exchange.request, endStream: false)
    }

    func part(_ buffer: ByteBuffer) -> HTTP2Frame.FramePayload { data(buffer, endStream: false) }

    func end() -> HTTP2Frame.FramePayload { data(ByteBuffer(), endStream: true) }

    func noteDeparture() { streams.probe.noteDeparture() }

    private func data(_ buffer: ByteBuffer, endStream: Bool) -> HTTP2Frame.FramePayload {
        // The server says a word to each part of a body, too.
        if buffer.readableBytes > 0 { streams.noteProgress() }
        return .data(.init(data: .byteBuffer(buffer), endStream: endStream))
    }

    private func headers(of request: HTTPRequest, endStream: Bool) throws -> HTTP2Frame.FramePayload {
        guard streams.noteRequest() else { throw PeerReset(reason: .refused) }
        return .headers(.init(headers: HPACKHeaders(request), endStream: endStream))
    }

    mutating func append(_ payload: HTTP2Frame.FramePayload) { arrived = payload }

    mutating func next() throws -> ExchangePart? {
        guard let payload = arrived else { return nil }
        arrived = nil
        return try part(of: payload)
    }

    func close() -> ExchangePart? { nil }

    func takeRest() -> ByteBuffer? { nil }

    /// The frames of a stream were validated before they came here (RFC 9113 section 8.1.1).
    private mutating func part(of payload: HTTP2Frame.FramePayload) throws -> ExchangePart {
        switch payload {
        case .headers(let frame) where hasHead:
            streams.noteProgress()
            return frame.endStream ? .end(isAlone: true) : .other
        case .headers(let frame):
            streams.noteProgress()
            let response = try HTTPResponse(frame.headers)
            guard response.status.kind != .informational else { return .information(response.status) }
            hasHead = true
            return .head(response, keepsAlive: false, isWhole: frame.endStream)
        case .data(let frame):
            guard case .byteBuffer(let buffer) = frame.data else { return .other }
            if buffer.readableBytes > 0 { streams.noteProgress() }
            return .body(buffer, isLast: frame.endStream)
        case .rstStream(let code):
            throw PeerReset(reason: .init(code: UInt32(code.networkCode)))
        default:
            return .other
        }
    }

    /// The server ended the stream.
    struct PeerReset: Error {
        let reason: StreamReset
    }
}

extension HPACKHeaders {
    /// Whether a field is one that a compressor must not keep, because others could guess it by its output (RFC 7541 section 7.1.3).
    private static func isSecret(_ name: String) -> Bool {
        switch name {
        case "authorization", "proxy-authorization", "cookie": true
        default: false
        }
    }

    /// Whether a field speaks of a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    private static func isOfConnection(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host": true
        default: false
        }
    }

    fileprivate init(_ request: HTTPRequest) {
        self.init()
        reserveCapacity(request.headerFields.count + 4)
        add(name: ":method", value: request.method.rawValue)
        if let scheme = request.scheme { add(name: ":scheme", value: scheme) }
        if let authority = request.authority { add(name: ":authority", value: authority) }
        if let path = request.path { add(name: ":path", value: path) }
        let named = request.headerFields[.connection].map(Self.tokens) ?? []
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard !Self.isOfConnection(name), !named.contains(name),
                name != "te" || field.value.lowercased() == "trailers"
            else { continue }
            add(
                name: name, value: field.value,
                indexing: Self.isSecret(name) ? .neverIndexed : .indexable)
        }
    }

    private static func tokens(_ list: String) -> Set<String> {
        Set(list.lowercased().split(separator: ",").map { String($0.filter { $0 != " " && $0 != "\t" }) })
    }
}

extension HTTPResponse {
    fileprivate init(_ headers: HPACKHeaders) throws {
        guard let status = headers.first(name: ":status").flatMap({ HTTPResponse.Status.code($0.utf8) }) else {
            throw ResponseFault.statusLine
        }
        self.init(status: .init(code: status))
        headerFields.reserveCapacity(headers.count - 1)
        for (name, value, _) in headers where name.utf8.first != UInt8(ascii: ":") {
            guard let name = HTTPField.Name(parsed: name) else { throw ResponseFault.headerField }
            headerFields.append(HTTPField(name: name, value: value))
        }
    }
}
