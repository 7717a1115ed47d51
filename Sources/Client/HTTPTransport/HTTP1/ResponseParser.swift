// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import NIOCore

/// A parser of HTTP/1 responses (RFC 9112) within fixed limits; it expects one response for each announced request.
///
/// It takes bytes and returns parts. Bytes after a complete response are an error, and never the start of the next one.
struct ResponseParser {
    enum Part: Hashable {
        case head(ResponseHead, ResponseFraming)
        case body(ByteBuffer)
        /// The response is complete; if it is not alone, unrequested bytes follow.
        case end(isAlone: Bool)
    }

    /// The maximum size of a response head including interim responses, and of a trailer, in bytes.
    let headLimit: Int
    let lineTerminator: HeadLineTerminator

    /// The maximum overhead of chunk size lines, in bytes, beyond the allowance for each chunk,
    /// which depends on its size.
    private static let excessLimit = 16 * 1024

    private enum State: Hashable {
        case idle
        case head(ResponseFraming.Request)
        case length(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case ended
        case tunnel
    }

    private var state = State.idle
    private var heads = ResponseHeadReader()
    private var pending = ByteBuffer()
    /// The number of pending bytes that were already searched for a line feed.
    private var searched = 0
    private var headSize = 0
    private var excess = 0

    init(headLimit: Int, lineTerminator: HeadLineTerminator = .carriageReturnLineFeed) {
        (self.headLimit, self.lineTerminator) = (headLimit, lineTerminator)
    }

    /// Whether the bytes after the head belong to a tunnel.
    var isTunnel: Bool { state == .tunnel }

    /// Expects the response to a request; pending bytes that arrived before the request remain an error.
    mutating func expect(_ request: ResponseFraming.Request) {
        guard pending.readableBytes == 0 else { return }
        (state, headSize, excess, searched) = (.head(request), 0, 0, 0)
    }

    mutating func append(_ buffer: ByteBuffer) {
        if pending.readableBytes == 0 { pending = buffer } else { pending.writeImmutableBuffer(buffer) }
    }

    /// Returns and removes the unread bytes.
    mutating func takeRemainingBytes() -> ByteBuffer? {
        defer { pending = ByteBuffer() }
        return pending.readableBytes > 0 ? pending : nil
    }

    /// Returns the next part; `nil` if more bytes are needed.
    mutating func next() throws(ResponseSyntaxError) -> Part? {
        if let part = try read() { return part }
        // TLS reuses the buffer of the received bytes only if no other reference to it exists.
        if pending.readableBytes == 0 { pending = ByteBuffer() }
        return nil
    }

    private mutating func read() throws(ResponseSyntaxError) -> Part? {
        while true {
            switch state {
            case .idle:
                guard pending.readableBytes == 0 else {
                    throw greeting.map { .malformed(.greeting($0)) } ?? .unsolicited
                }
                return nil
            case .tunnel: return nil
            case .ended:
                state = .idle
                return .end(isAlone: pending.readableBytes == 0)
            case .head(let request):
                return try head(of: request)
            case .untilClose:
                return pending.readableBytes > 0 ? .body(take(.max)) : nil
            case .length(0):
                state = .ended
            case .length(let left):
                guard pending.readableBytes > 0 else { return nil }
                let part = take(left)
                state = .length(left - part.readableBytes)
                return .body(part)
            case .chunkSize:
                guard let size = try chunkSize() else { return nil }
                state = size == 0 ? .trailer : .chunk(size)
                headSize = 0
            case .chunk(0): state = .chunkEnd
            case .chunk(let left):
                guard pending.readableBytes > 0 else { return nil }
                let part = take(left)
                state = .chunk(left - part.readableBytes)
                return .body(part)
            case .chunkEnd:
                let end = pending.readableBytesView.prefix(2)
                if end.first == .lineFeed { throw .malformed(.bareLineFeedInChunk) }
                guard end.count == 2 else { return nil }
                guard end.elementsEqual([.carriageReturn, .lineFeed]) else { throw .malformed(.chunk) }
                pending.moveReaderIndex(forwardBy: 2)
                state = .chunkSize
            case .trailer:
                guard let trailer = try section(.carriageReturnLineFeed) else { return nil }
                try trailer.withReadableBytes { bytes throws(ResponseSyntaxError) in
                    try ResponseHeadReader.checkTrailer(bytes)
                }
                state = .ended
            }
        }
    }

    /// Notes the end of the connection.
    ///
    /// - Returns: The end of the response, if its body ends with the connection.
    mutating func close() -> Part? {
        defer { state = .idle }
        return state == .untilClose ? .end(isAlone: true) : nil
    }

    private mutating func take(_ limit: Int) -> ByteBuffer {
        pending.readSlice(length: min(limit, pending.readableBytes)) ?? ByteBuffer()
    }

    // MARK: Heads and trailers

    private mutating func head(of request: ResponseFraming.Request) throws(ResponseSyntaxError) -> Part? {
        try checkStart()
        guard let section = try section(lineTerminator) else { return nil }
        let head = try section.withReadableBytes { bytes throws(ResponseSyntaxError) in
            try heads.read(bytes, lineTerminator)
        }
        let framing = try ResponseFraming(of: head, to: request)
        // The client never requests a protocol upgrade, and the bytes after this response are not HTTP.
        guard head.status != 101 else { throw .malformed(.framing) }
        switch framing {
        // Only the size of an interim response is counted.
        case _ where head.status < 200: break
        case .length(let length): state = .length(length)
        case .chunked: state = .chunkSize
        case .untilClose: state = .untilClose
        case .tunnel: state = .tunnel
        }
        return .head(head, framing)
    }

    /// Throws as soon as the first bytes cannot begin a response.
    private func checkStart() throws(ResponseSyntaxError) {
        let start: StaticString = "HTTP/1."
        let isStart = pending.withUnsafeReadableBytes { bytes in
            start.withUTF8Buffer { start in
                let length = min(bytes.count, start.count)
                return UnsafeRawBufferPointer(rebasing: bytes.prefix(length)).isEqual(to: start.prefix(length))
            }
        }
        guard isStart else { throw .malformed(isTLSRecord ? .tls : greeting.map { .greeting($0) } ?? .statusLine) }
    }

    /// The protocol whose servers send these first bytes before a request; `nil` if they may belong to any protocol.
    private var greeting: String? {
        let start = Array(pending.readableBytesView.prefix(4))
        let greetings = [
            ("SSH-", "SSH"), ("220 ", "SMTP or FTP"), ("220-", "SMTP or FTP"), ("+OK ", "POP3"), ("* OK", "IMAP"),
            ("RFB ", "VNC"),
        ]
        return greetings.first { $0.0.utf8.elementsEqual(start) }?.1
    }

    /// Whether the bytes begin a TLS alert or handshake record, of any version (RFC 8446 section 5.1).
    private var isTLSRecord: Bool {
        let start = pending.readableBytesView.prefix(2)
        return start.count == 2 && (start.first == 21 || start.first == 22) && start.last == 3
    }

    /// Reads the lines up to and including the empty line.
    ///
    /// - Returns: The lines; `nil` if the empty line has not arrived.
    private mutating func section(_ lineTerminator: HeadLineTerminator) throws(ResponseSyntaxError) -> ByteBuffer? {
        let length: Int? = pending.withUnsafeReadableBytes { bytes in
            var start = searched
            while let index = bytes.firstIndex(of: .lineFeed, from: start) {
                if Self.endsSection(bytes[..<index], lineTerminator) { return index + 1 }
                start = index + 1
            }
            return nil
        }
        guard headSize + (length ?? pending.readableBytes) <= headLimit else { throw .headTooLarge }
        guard let length else {
            searched = pending.readableBytes
            return nil
        }
        (searched, headSize) = (0, headSize + length)
        return take(length)
    }

    /// Returns whether a line feed after these bytes ends an empty line.
    ///
    /// If CR LF is required, a line that ends in LF alone ends the section too, and ``ResponseHead`` rejects it.
    private static func endsSection(_ bytes: Slice<UnsafeRawBufferPointer>, _ lineTerminator: HeadLineTerminator)
        -> Bool
    {
        switch (bytes.last, lineTerminator) {
        case (.carriageReturn?, _): bytes.count == 1 || bytes[bytes.endIndex - 2] == .lineFeed
        case (let last, .lineFeed): last == nil || last == .lineFeed
        case (_, .carriageReturnLineFeed): true
        }
    }

    // MARK: Chunks

    /// Reads the size of the next chunk (RFC 9112 section 7.1), and ignores its extensions.
    private mutating func chunkSize() throws(ResponseSyntaxError) -> Int? {
        let line = pending.readableBytesView.dropFirst(searched).firstIndex(of: .lineFeed)
        let length = (line ?? pending.readableBytesView.endIndex) - pending.readableBytesView.startIndex
        guard excess + length <= Self.excessLimit else { throw .malformed(.chunk) }
        guard line != nil else {
            searched = pending.readableBytes
            return nil
        }
        searched = 0
        guard let bytes = pending.readBytes(length: length + 1), bytes.dropLast().last == .carriageReturn else {
            throw .malformed(.bareLineFeedInChunk)
        }
        let size = try Self.size(bytes.dropLast(2))
        // The allowance: 16 digits and the line terminator for every chunk,
        // and twice the size of the chunk up to 2 MiB.
        excess = max(0, excess + bytes.count - 20 - (size > 1 << 20 ? 2 << 20 : 2 * size))
        return size
    }

    private static func size(_ line: ArraySlice<UInt8>) throws(ResponseSyntaxError) -> Int {
        let digits = line.prefix { Hexadecimal.value(of: $0) != nil }
        let rest = line.dropFirst(digits.count).drop(while: \.isBlank)
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            rest.first.map({ $0 == 0x3B }) ?? true,
            rest.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
        else { throw .malformed(.chunk) }
        return size
    }
}

extension ByteBuffer {
    fileprivate func withReadableBytes<Value>(
        _ read: (UnsafeRawBufferPointer) throws(ResponseSyntaxError) -> Value
    ) throws(ResponseSyntaxError) -> Value {
        try withUnsafeReadableBytes { bytes in
            Result { () throws(ResponseSyntaxError) in try read(bytes) }
        }.get()
    }
}
