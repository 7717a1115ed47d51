// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
package import NIOCore

/// Decodes the transfer encoding of a part's content while it is being received (RFC 2045 section 6).
package struct TransferDecoder {
    private enum Encoding {
        case identity, base64, quotedPrintable
    }

    private let encoding: Encoding
    private let name: String
    private let part: Int
    private var base64 = Base64Decoder(.mime)
    /// The equals sign and the following bytes of an incomplete escape.
    private var escape: [UInt8] = []

    package init(_ name: String, part: Int) throws(MultipartError) {
        switch name {
        case "7bit", "8bit", "binary": encoding = .identity
        case "base64": encoding = .base64
        case "quoted-printable": encoding = .quotedPrintable
        default: throw .unknownTransferEncoding(part: part, name)
        }
        (self.name, self.part) = (name, part)
    }

    package mutating func decode(_ bytes: ByteBuffer) throws(MultipartError) -> ByteBuffer {
        switch encoding {
        case .identity: return bytes
        case .base64:
            guard let decoded = base64.decode(bytes.readableBytesView) else { throw malformed }
            return ByteBuffer(bytes: decoded)
        case .quotedPrintable: return ByteBuffer(bytes: try unquote(bytes))
        }
    }

    /// Returns the last bytes, and throws an error if the content is incomplete.
    package func finish() throws(MultipartError) -> ByteBuffer {
        // A soft line break may come directly before the boundary, whose line break is not part of the content.
        guard let rest = base64.finish(), escape.isEmpty || escape == [UInt8(ascii: "=")] else { throw malformed }
        return ByteBuffer(bytes: rest)
    }

    private var malformed: MultipartError { .malformedContent(part: part, encoding: name) }

    private mutating func unquote(_ bytes: ByteBuffer) throws(MultipartError) -> [UInt8] {
        var decoded: [UInt8] = []
        for byte in bytes.readableBytesView {
            guard !escape.isEmpty || byte == UInt8(ascii: "=") else {
                decoded.append(byte)
                continue
            }
            escape.append(byte)
            // An escaped line feed is a soft line break.
            if byte == UInt8(ascii: "\n") {
                guard escape.dropFirst().dropLast().allSatisfy({ [0x09, 0x0D, 0x20].contains($0) }) else {
                    throw malformed
                }
                escape = []
            } else if escape.count == 3, let byte = Hexadecimal.decode(escape[1...]) {
                decoded += byte
                escape = []
            } else if escape.count > 80 {
                throw malformed
            }
        }
        return decoded
    }
}
