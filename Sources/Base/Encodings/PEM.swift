// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A decoded PEM block, from `-----BEGIN` to `-----END` (RFC 7468).
package struct PEMBlock: Hashable, Sendable {
    /// The maximum number of blocks in a text.
    package static let maximumCount = 10_000
    private static let maximumLabelLength = 64

    package let label: String
    /// The decoded content: DER, or the ciphertext of DER.
    package let der: [UInt8]
    /// The value of the header DEK-Info (RFC 1421 section 4.6.1.3); `nil` if the content is not encrypted.
    package let encryptionInfo: String?

    /// Returns a block as text (RFC 7468 section 3): lines of 64 characters, each ending in a line feed.
    package static func encode(_ label: String, _ der: [UInt8]) -> [UInt8] {
        var text = Array("-----BEGIN \(label)-----\n".utf8)
        let digits = Base64.characters(of: der)
        for start in stride(from: 0, to: digits.count, by: 64) {
            text += digits[start..<min(start + 64, digits.count)]
            text.append(UInt8(ascii: "\n"))
        }
        return text + "-----END \(label)-----\n".utf8
    }

    /// Returns whether bytes are text with a PEM block instead of DER, whose first byte is the digit 0.
    package static func isLikely(_ bytes: [UInt8]) -> Bool {
        if bytes.first == 0x30, let length = bytes.dropFirst().first, length >= 0x80 { return false }
        return bytes.split(separator: UInt8(ascii: "\n")).contains { trimmed($0).starts(with: Boundary.begin) }
    }
}

/// An error of reading PEM.
package enum PEMError: Error, Hashable {
    /// A boundary or the Base64 text of a block is malformed. The offset counts bytes of the text.
    case malformed(offset: Int)
    /// The text has more blocks than the limit.
    case tooMany(limit: Int)
}

// MARK: Strict reading

extension PEMBlock {
    /// Reads all blocks, ignoring the text around them.
    ///
    /// Boundaries must be on separate lines; blocks and lines may be indented. RFC 7468 allows no headers; those of an
    /// encrypted block, as in RFC 1421, are the only exception.
    package static func blocks(in text: [UInt8]) throws(PEMError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: OpenBlock?
        for line in text.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let content = trimmed(line)
            switch (Boundary(content), open) {
            case (.begin(let label), nil): open = OpenBlock(label: label, start: line.startIndex)
            case (.end(let label), let block?) where block.label == label:
                guard blocks.count < maximumCount else { throw .tooMany(limit: maximumCount) }
                blocks.append(try block.end())
                open = nil
            case (.begin, _), (.end, _): throw .malformed(offset: line.startIndex)
            case (nil, nil): break
            case (nil, .some):
                try open?.read(content)
            }
        }
        if let open { throw .malformed(offset: open.start) }
        return blocks
    }

    /// A block whose end has not been read.
    private struct OpenBlock {
        let label: String
        /// The offset of the beginning of the block.
        let start: Int
        private var base64: [UInt8] = []
        private var isEncrypted = false
        private var encryptionInfo: String?

        init(label: String, start: Int) { (self.label, self.start) = (label, start) }

        mutating func read(_ line: ArraySlice<UInt8>) throws(PEMError) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                guard !line.contains(where: isSpace) else { throw .malformed(offset: start) }
                base64 += line
                return
            }
            // The two headers come in this order, before the content (RFC 1421 section 4.6). Some writers put
            // spaces around the commas.
            let parts = line[(colon + 1)...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let value = parts.map { String(decoding: trimmed($0), as: UTF8.self) }.joined(separator: ",")
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "Proc-Type" where value == "4,ENCRYPTED" && base64.isEmpty && !isEncrypted: isEncrypted = true
            case "DEK-Info" where isEncrypted && base64.isEmpty && encryptionInfo == nil: encryptionInfo = value
            default: throw .malformed(offset: line.startIndex)
            }
        }

        func end() throws(PEMError) -> PEMBlock {
            guard isEncrypted == (encryptionInfo != nil), !base64.isEmpty,
                let content = Base64.decode(base64, as: .mime)
            else { throw .malformed(offset: start) }
            return PEMBlock(label: label, der: content, encryptionInfo: encryptionInfo)
        }
    }

    /// The line at the beginning or end of a block.
    private enum Boundary {
        static let begin = Array("-----BEGIN ".utf8)
        private static let end = Array("-----END ".utf8)

        case begin(String)
        case end(String)

        init?(_ line: ArraySlice<UInt8>) {
            guard line.first == UInt8(ascii: "-"), line.suffix(5).elementsEqual("-----".utf8) else { return nil }
            let (isBegin, isEnd) = (line.starts(with: Self.begin), line.starts(with: Self.end))
            guard isBegin || isEnd else { return nil }
            let label = line.dropFirst((isBegin ? Self.begin : Self.end).count).dropLast(5)
            guard label.count <= PEMBlock.maximumLabelLength, label.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                return nil
            }
            let text = String(decoding: label, as: UTF8.self)
            self = isBegin ? .begin(text) : .end(text)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }
}

// MARK: Lenient reading

extension PEMBlock {
    /// A block with any label in a text by other software; its content may be broken.
    package struct Excerpt {
        package let label: String
        /// The number of the line on which the block begins, counted from 1.
        package let line: Int
        /// The block with its boundaries; without an end, up to the next boundary.
        package let text: ArraySlice<UInt8>
        /// The text between the boundaries.
        package let body: ArraySlice<UInt8>
        /// Whether the block has an end with its label.
        package let isEnded: Bool

        /// The decoded body, whose padding is ignored; `nil` if it is not Base64.
        package var content: [UInt8]? { Base64.decode(body, as: .pem) }
    }

    /// Returns the contents of all blocks with one of the labels, with `nil` for a block that is not Base64.
    ///
    /// A block may lack its end.
    package static func contents(labeled labels: [String], in text: [UInt8]) -> [[UInt8]?] {
        excerpts(in: text).filter { labels.contains($0.label) }.map(\.content)
    }

    /// Returns all blocks of a text, so that a broken one does not hide the others.
    ///
    /// This reading is for bundles by other software: a block may begin within a line, and ends at the next five
    /// hyphens. The text is read in one pass, because a program may read the system's anchor bundle at every start.
    package static func excerpts(in text: [UInt8]) -> [Excerpt] {
        var excerpts: [Excerpt] = []
        var (rest, line, counted) = (text[...], 1, text.startIndex)
        while let start = nextHyphens(in: rest) {
            rest = text[start...]
            guard let label = beginning(of: rest) else {
                rest = rest.drop { $0 == UInt8(ascii: "-") }
                continue
            }
            line += lineCount(of: text[counted..<start])
            counted = start
            let bodyStart = start + Boundary.begin.count + label.utf8.count + hyphens.count
            let bodyEnd = nextHyphens(in: text[bodyStart...]) ?? text.endIndex
            let end = Array("-----END \(label)-----".utf8)
            let isEnded = text[bodyEnd...].starts(with: end)
            rest = text[(isEnded ? bodyEnd + end.count : bodyEnd)...]
            // A beginning within a line of prose, with nothing that ends it, is part of the prose.
            guard isEnded || isAtLineStart(start, in: text) else { continue }
            excerpts.append(
                Excerpt(
                    label: label, line: line, text: text[start..<rest.startIndex], body: text[bodyStart..<bodyEnd],
                    isEnded: isEnded))
        }
        return excerpts
    }

    /// Returns a text as UTF-8 without a byte order mark; text in UTF-16 with a mark, as Windows writes it, is
    /// converted.
    package static func plainText(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return Array(bytes.dropFirst(3)) }
        let isLittle = bytes.starts(with: [0xff, 0xfe])
        guard isLittle || bytes.starts(with: [0xfe, 0xff]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static let hyphens = Array("-----".utf8)

    /// Returns the index of the next five hyphens.
    private static func nextHyphens(in text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            if rest.starts(with: hyphens) { return dash }
            rest = rest.drop { $0 == UInt8(ascii: "-") }
        }
        return nil
    }

    /// Returns the label of a block whose beginning is at the start of a text.
    private static func beginning(of text: ArraySlice<UInt8>) -> String? {
        guard text.starts(with: Boundary.begin) else { return nil }
        let rest = text.dropFirst(Boundary.begin.count)
        let label = rest.prefix(maximumLabelLength).prefix { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "-") }
        guard !label.isEmpty, rest[label.endIndex...].starts(with: hyphens) else { return nil }
        return String(decoding: label, as: UTF8.self)
    }

    private static func isAtLineStart(_ index: Int, in text: [UInt8]) -> Bool {
        let before = text[..<index].reversed().first { $0 != 0x20 && $0 != 0x09 }
        return before == nil || before == UInt8(ascii: "\n") || before == UInt8(ascii: "\r")
            || before == UInt8(ascii: "-")
    }

    /// Returns the number of line ends: LF, CR LF or CR.
    private static func lineCount(of text: ArraySlice<UInt8>) -> Int {
        text.withUnsafeBufferPointer { text in
            var (count, last) = (0, UInt8(0))
            for byte in text {
                let isLineFeed = byte == UInt8(ascii: "\n")
                if isLineFeed ? last != UInt8(ascii: "\r") : byte == UInt8(ascii: "\r") { count += 1 }
                last = byte
            }
            return count
        }
    }
}
