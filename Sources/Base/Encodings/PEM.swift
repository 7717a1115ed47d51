// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A decoded PEM block, from `-----BEGIN` to `-----END` (RFC 7468).
package struct PEMBlock: Hashable, Sendable {
    /// The maximum number of blocks in a text.
    package static let maximumCount = 10_000

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
            guard label.count <= 64, label.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
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
    /// Returns the contents of all blocks with one of the labels, with `nil` for a block that is not Base64.
    ///
    /// This reading is for bundles by other software: a block may begin within a line and ends at the next hyphen, and
    /// its padding is ignored. The text is read in one pass, because a program may read the system's anchor bundle at
    /// every start.
    package static func contents(labeled labels: [String], in text: [UInt8]) -> [[UInt8]?] {
        let ends = labels.map { Array("\($0)-----".utf8) }
        var contents: [[UInt8]?] = []
        var rest = text[...]
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            guard rest.starts(with: Boundary.begin) else {
                rest = rest.drop { $0 == UInt8(ascii: "-") }
                continue
            }
            rest = rest.dropFirst(Boundary.begin.count)
            guard let label = ends.first(where: { rest.starts(with: $0) }) else { continue }
            rest = rest.dropFirst(label.count)
            let body = rest.prefix { $0 != UInt8(ascii: "-") }
            rest = rest[body.endIndex...]
            contents.append(Base64.decode(body, as: .pem))
        }
        return contents
    }
}
