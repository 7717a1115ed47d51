// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import SwiftASN1
internal import X509

/// A server's name as its certificate spells it (RFC 5280 section 4.2.1.6).
struct AlternativeName {
    let generalName: GeneralName

    /// Reads an IP literal, else a DNS name.
    ///
    /// A text of digits and dots that is no address is refused rather than taken for a DNS name.
    init(_ text: String) throws(CertificateAuthorityError) {
        if let octets = IPAddressText.ipv4(text) ?? IPAddressText.ipv6(text) {
            generalName = .ipAddress(ASN1OctetString(contentBytes: octets[...]))
        } else if Self.isDNSName(text) {
            generalName = .dnsName(text.lowercased())
        } else {
            throw .malformedName(text)
        }
    }

    var isAddress: Bool { if case .ipAddress = generalName { true } else { false } }

    /// Reads an e-mail address.
    init(mailbox text: String) throws(CertificateAuthorityError) {
        guard Mailbox(text) != nil else { throw .malformedMailbox(text) }
        generalName = .rfc822Name(text)
    }

    /// RFC 1034 section 3.5 as relaxed by RFC 1123 section 2.1; a wildcard is the whole first label (RFC 9525 section 6.3).
    static func isDNSName(_ text: String) -> Bool {
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels[0].elementsEqual("*".utf8) { labels.removeFirst() }
        guard text.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        return !last.allSatisfy(isDigit)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy {
                isDigit($0) || $0 == hyphen || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension GeneralName {
    /// As it was read, such as `intranet.example`, `192.0.2.1` or `mary@example.org`; `nil` for other kinds of name.
    var plainText: String? {
        switch self {
        case .dnsName(let name), .rfc822Name(let name): name
        case .ipAddress(let octets): IPAddressText.text(of: octets.bytes)
        default: nil
        }
    }
}
