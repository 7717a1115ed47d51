// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The certificates of a PEM bundle (RFC 7468), cut out without reading them; text around them is passed over.
struct PEMBundle {
    private static let begin = Array("-----BEGIN ".utf8)
    /// The last is what OpenSSL writes with trust settings appended; those are cut off with what follows the certificate.
    private static let labels = ["CERTIFICATE-----", "X509 CERTIFICATE-----", "TRUSTED CERTIFICATE-----"].map {
        Array($0.utf8)
    }

    private(set) var certificates: [[UInt8]] = []
    /// How many parts had the label of a certificate, and nothing of the kind in them.
    private(set) var unreadableCount = 0

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            guard rest.starts(with: Self.begin) else {
                rest = rest.drop { $0 == UInt8(ascii: "-") }
                continue
            }
            rest = rest.dropFirst(Self.begin.count)
            guard let label = Self.labels.first(where: { rest.starts(with: $0) }) else { continue }
            rest = rest.dropFirst(label.count)
            let body = rest.prefix { $0 != UInt8(ascii: "-") }
            rest = rest[body.endIndex...]
            add(body)
        }
    }

    private mutating func add(_ body: ArraySlice<UInt8>) {
        let bytes = Base64.decode(body) ?? []
        var reader = DERReader(bytes[...])
        guard let element = reader.next(), element.tag == DERTag.sequence else {
            unreadableCount += 1
            return
        }
        certificates.append(element.bytes.count == bytes.count ? bytes : Array(element.bytes))
    }
}

/// Base64 with line ends in it (RFC 7468 section 2), without a copy of the text first.
private enum Base64 {
    private static let skipped: UInt8 = 0xfe
    private static let invalid: UInt8 = 0xff

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        for character in " \t\r\n=".utf8 { values[Int(character)] = skipped }
        return values
    }()

    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var (bytes, group, bits) = ([UInt8](), UInt32(0), UInt32(0))
        bytes.reserveCapacity(text.count / 4 * 3)
        for character in text {
            let value = values[Int(character)]
            guard value != skipped else { continue }
            guard value != invalid else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: group >> bits))
        }
        return bytes
    }
}
