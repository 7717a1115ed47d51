// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The certificates of a PEM bundle (RFC 7468), cut out without reading them; text around them is passed over.
struct PEMBundle {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    /// The last is what OpenSSL writes with trust settings appended; those are cut off with what follows the certificate.
    private static let labels = ["CERTIFICATE-----", "X509 CERTIFICATE-----", "TRUSTED CERTIFICATE-----"]

    private(set) var certificates: [[UInt8]] = []
    /// How many parts had the label of a certificate, and nothing of the kind in them.
    private(set) var unreadableCount = 0

    init(_ bytes: [UInt8]) {
        var lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })[...]
        while let line = lines.popFirst() {
            guard line.starts(with: Self.begin), Self.isCertificate(line) else { continue }
            let body = lines.prefix { !$0.starts(with: Self.end) && !$0.starts(with: Self.begin) }
            lines = lines[body.endIndex...]
            add(body)
        }
    }

    private mutating func add(_ lines: ArraySlice<ArraySlice<UInt8>>) {
        var reader = DERReader([])
        if let data = Data(base64Encoded: Data(lines.joined()), options: .ignoreUnknownCharacters) {
            reader = DERReader([UInt8](data)[...])
        }
        guard let element = reader.next(), element.tag == 0x30 else {
            unreadableCount += 1
            return
        }
        certificates.append(Array(element.bytes))
    }

    private static func isCertificate(_ line: ArraySlice<UInt8>) -> Bool {
        let label = String(decoding: line.dropFirst(begin.count), as: UTF8.self)
        return labels.contains { label.hasPrefix($0) }
    }
}
