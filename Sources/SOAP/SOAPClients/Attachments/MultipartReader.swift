// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
package import NIOCore
import POSIX

/// Splits a multipart message into its parts while it is being received (RFC 2046 section 5.1).
///
/// Lines end in CR LF. If the line of the first boundary ends in LF alone, all lines do; otherwise binary content could
/// not be distinguished from line ends.
package struct MultipartReader {
    package enum Event: Hashable {
        case head(PartHead)
        /// A piece of the content, in its transfer encoding; never empty.
        case content(ByteBuffer)
        case partEnd
        /// The last boundary; everything after it is ignored.
        case end
    }

    private enum State {
        case preamble, head, contentStart, content, afterLastBoundary, end
    }

    private let limits: MultipartLimits
    /// The delimiter: two hyphens and the boundary.
    private let dashBoundary: [UInt8]
    private var state = State.preamble
    private var buffer = ByteBuffer()
    /// Whether lines end in LF alone.
    private var hasBareLineFeeds = false
    private var preambleBytes = 0
    /// The number of the current part; the first is 1.
    package private(set) var part = 0

    /// Creates a reader for one message.
    package init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        // RFC 2046 section 5.1.1 allows 70 characters, but some senders use more.
        guard (1...200).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw .noBoundary
        }
        dashBoundary = Array("--\(boundary)".utf8)
        self.limits = limits
    }

    /// Appends received bytes to the buffer.
    package mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            var joined = ByteBuffer()
            joined.reserveCapacity(buffer.readableBytes + bytes.readableBytes)
            joined.writeImmutableBuffer(buffer)
            joined.writeImmutableBuffer(bytes)
            buffer = joined
        }
    }

    /// Returns the next event; `nil` if more bytes are needed.
    package mutating func next() throws(MultipartError) -> Event? {
        switch state {
        case .preamble:
            guard try skipPreamble() else { return nil }
            return try next()
        case .head:
            return try readHead()
        case .contentStart, .content:
            return try readContent()
        case .afterLastBoundary:
            state = .end
            return .end
        case .end:
            buffer = ByteBuffer()
            return nil
        }
    }

    /// Checks that the last boundary was received.
    package func finish() throws(MultipartError) {
        switch state {
        case .afterLastBoundary, .end: return
        default: throw .noFinalBoundary
        }
    }

    // MARK: Boundaries

    private enum Delimiter {
        /// A delimiter, with the number of bytes up to the end of its line.
        case next(count: Int, endsInLineFeed: Bool)
        case last(count: Int)
        case none
        /// Incomplete input: the reader needs more bytes to decide.
        case undecided
    }

    /// The maximum number of ignored blanks after a boundary.
    private static let maximumPaddingLength = 256

    /// Returns the delimiter at the start of a line, given by its offset from the first unread byte.
    private func delimiter(at offset: Int) -> Delimiter {
        let bytes = buffer.readableBytesView.dropFirst(offset)
        let count = min(bytes.count, dashBoundary.count)
        guard bytes.prefix(count).elementsEqual(dashBoundary.prefix(count)) else { return .none }
        guard count == dashBoundary.count else { return .undecided }
        let rest = bytes.dropFirst(count)
        guard let first = rest.first else { return .undecided }
        if first == UInt8(ascii: "-") {
            guard let second = rest.dropFirst().first else { return .undecided }
            return second == UInt8(ascii: "-") ? .last(count: count + 2) : .none
        }
        let padding = rest.prefix(Self.maximumPaddingLength + 1).prefix {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
        guard padding.count <= Self.maximumPaddingLength else { return .none }
        let end = rest.dropFirst(padding.count)
        switch (end.first, end.dropFirst().first) {
        case (nil, _), (UInt8(ascii: "\r"), nil): return .undecided
        case (UInt8(ascii: "\n"), _): return .next(count: count + padding.count + 1, endsInLineFeed: true)
        case (UInt8(ascii: "\r"), UInt8(ascii: "\n")):
            return .next(count: count + padding.count + 2, endsInLineFeed: false)
        default: return .none
        }
    }

    /// Skips the text before the first boundary.
    ///
    /// - Returns: Whether the first boundary was found.
    private mutating func skipPreamble() throws(MultipartError) -> Bool {
        while true {
            switch delimiter(at: 0) {
            case .undecided:
                return false
            case .next(let count, let endsInLineFeed):
                hasBareLineFeeds = endsInLineFeed
                buffer.moveReaderIndex(forwardBy: count)
                state = .head
                return true
            case .last(let count):
                buffer.moveReaderIndex(forwardBy: count)
                state = .afterLastBoundary
                return true
            case .none:
                guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
                    guard preambleBytes + buffer.readableBytes <= limits.maximumHeadSize else {
                        throw .longPreamble(maximumByteCount: limits.maximumHeadSize)
                    }
                    return false
                }
                let count = end + 1 - buffer.readerIndex
                preambleBytes += count
                guard preambleBytes <= limits.maximumHeadSize else {
                    throw .longPreamble(maximumByteCount: limits.maximumHeadSize)
                }
                buffer.moveReaderIndex(forwardBy: count)
            }
        }
    }

    // MARK: Parts

    private mutating func readHead() throws(MultipartError) -> Event? {
        let number = part + 1
        guard number <= limits.maximumPartCount else { throw .tooManyParts(limit: limits.maximumPartCount) }
        let tooLong = MultipartError.longHead(
            part: number, maximumLineCount: limits.maximumHeadLineCount, maximumByteCount: limits.maximumHeadSize)
        let bytes = Array(buffer.readableBytesView.prefix(limits.maximumHeadSize))
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            var line = bytes[start..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            start = end + 1
            guard !line.isEmpty else {
                guard let head = PartHead(lines: lines) else { throw .malformedHead(part: number) }
                buffer.moveReaderIndex(forwardBy: start)
                part = number
                state = .contentStart
                return .head(head)
            }
            lines.append(line)
            guard lines.count <= limits.maximumHeadLineCount else { throw tooLong }
        }
        guard bytes.count < limits.maximumHeadSize else { throw tooLong }
        return nil
    }

    private mutating func readContent() throws(MultipartError) -> Event? {
        if case .contentStart = state {
            // The empty line after a head may also be the line break before the boundary.
            switch delimiter(at: 0) {
            case .undecided: return nil
            case .none: state = .content
            case let found: return endPart(found)
            }
        }
        let newline: [UInt8] = hasBareLineFeeds ? [UInt8(ascii: "\n")] : [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        var searched = 0
        while let candidate = buffer.unreadOffset(of: newline[0], from: searched) {
            let line = candidate + newline.count
            let isComplete = line <= buffer.readableBytes
            if isComplete, newline.count > 1, buffer.unreadByte(at: candidate + 1) != newline[1] {
                searched = candidate + 1
                continue
            }
            let found = isComplete ? delimiter(at: line) : .undecided
            if case .none = found {
                searched = candidate + 1
                continue
            }
            if candidate > 0 { return buffer.readSlice(length: candidate).map(Event.content) }
            if case .undecided = found { return nil }
            buffer.moveReaderIndex(forwardBy: newline.count)
            return endPart(found)
        }
        guard buffer.readableBytes > 0 else { return nil }
        defer { buffer = ByteBuffer() }
        return .content(buffer)
    }

    private mutating func endPart(_ delimiter: Delimiter) -> Event {
        switch delimiter {
        case .next(let count, _):
            buffer.moveReaderIndex(forwardBy: count)
            state = .head
        case .last(let count):
            buffer.moveReaderIndex(forwardBy: count)
            state = .afterLastBoundary
        case .none, .undecided: break
        }
        return .partEnd
    }
}

/// The header fields of a part (RFC 2045 section 3).
package struct PartHead: Hashable, Sendable {
    /// The values by lowercase name; if a name occurs twice, the first value.
    package private(set) var fields: [String: String] = [:]

    /// Reads the lines of a head, without the empty line at its end.
    ///
    /// A line that begins with a space or a tab continues the previous line (RFC 5322 section 2.2.3).
    ///
    /// - Returns: `nil` if a line has no colon, or is not UTF-8.
    init?(lines: [ArraySlice<UInt8>]) {
        var unfolded: [String] = []
        for line in lines {
            guard let text = String(validating: line, as: UTF8.self) else { return nil }
            if let first = text.first, first == " " || first == "\t", let last = unfolded.popLast() {
                unfolded.append(last + " " + text[...].trimmed)
            } else {
                unfolded.append(text)
            }
        }
        for line in unfolded {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else { return nil }
            let name = line[..<colon].trimmed.lowercased()
            let value = String(line[line.index(after: colon)...].trimmed)
            if fields[name] == nil { fields[name] = value }
        }
    }

    /// The media type; plain text if the part has no `Content-Type` (RFC 2045 section 5.2).
    var mediaType: MediaType {
        fields["content-type"].flatMap(MediaType.init(field:)) ?? MediaType("text/plain")
    }

    /// The content ID without its angle brackets.
    var contentID: String? {
        fields["content-id"]?.withoutBrackets
    }

    var contentLocation: String? { fields["content-location"] }

    /// The transfer encoding in lowercase; without the field, the bytes are not encoded.
    package var transferEncoding: String { fields["content-transfer-encoding"]?.lowercased() ?? "binary" }
}

extension String {
    /// The identifier of a message or a part without the enclosing angle brackets (RFC 5322 section 3.6.4).
    var withoutBrackets: String { hasPrefix("<") && hasSuffix(">") ? String(dropFirst().dropLast()) : self }
}

extension ByteBuffer {
    /// Returns the offset of the next occurrence of a byte, counted from the first unread byte; `nil` if there is none.
    func unreadOffset(of byte: UInt8, from offset: Int) -> Int? {
        withUnsafeReadableBytes { bytes in
            guard offset < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + offset, CInt(byte), bytes.count - offset).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Returns the byte at an offset from the first unread byte.
    func unreadByte(at offset: Int) -> UInt8? {
        getInteger(at: readerIndex + offset)
    }
}
