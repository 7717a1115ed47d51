// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One `-----BEGIN` to `-----END` of a file (RFC 7468), decoded.
package struct PEMBlock {
    static let mostBlocks = 10_000

    package let label: String
    package let der: [UInt8]

    /// Whether bytes are text with a PEM block rather than DER, whose first byte is the letter 0.
    package static func isLikely(_ bytes: [UInt8]) -> Bool {
        if bytes.first == 0x30, let length = bytes.dropFirst().first, length >= 0x80 { return false }
        return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            trimmed(line).starts(with: "-----BEGIN ".utf8)
        }
    }

    /// Reads every block, and passes over the text around them.
    package static func blocks(in bytes: [UInt8]) throws(IdentityError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, start: Int, base64: [UInt8])?
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let text = trimmed(line)
            if let label = label(of: text, after: "-----BEGIN ") {
                guard open == nil else { throw .malformed(.pem, offset: line.startIndex) }
                open = (label, line.startIndex, [])
            } else if let label = label(of: text, after: "-----END ") {
                guard let block = open, block.label == label else { throw .malformed(.pem, offset: line.startIndex) }
                guard blocks.count < mostBlocks else { throw .tooLarge(.elements, limit: mostBlocks) }
                blocks.append(try PEMBlock(label: label, base64: block.base64, start: block.start))
                open = nil
            } else if open != nil, text.contains(UInt8(ascii: ":")) {
                try checkHeader(text, at: line.startIndex)
            } else {
                open?.base64 += text
            }
        }
        if let open { throw .malformed(.pem, offset: open.start) }
        return blocks
    }

    private init(label: String, base64: [UInt8], start: Int) throws(IdentityError) {
        guard !base64.isEmpty, let der = Data(base64Encoded: Data(base64)) else {
            throw .malformed(.pem, offset: start)
        }
        self.label = label
        self.der = Array(der)
    }

    /// RFC 7468 has no headers; OpenSSL's old key encryption has, and derives its key with one round of MD5.
    private static func checkHeader(_ line: ArraySlice<UInt8>, at offset: Int) throws(IdentityError) {
        guard line.starts(with: "Proc-Type:".utf8) else { throw .malformed(.pem, offset: offset) }
        throw .unsupported("Proc-Type: 4,ENCRYPTED")
    }

    private static func label(of line: ArraySlice<UInt8>, after prefix: String) -> String? {
        guard line.starts(with: prefix.utf8), line.suffix(5).elementsEqual("-----".utf8) else { return nil }
        let label = line.dropFirst(prefix.utf8.count).dropLast(5)
        guard label.count <= 64, label.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return String(decoding: label, as: UTF8.self)
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }
}
