// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import SwiftASN1
internal import X509

/// The domains and networks for whose servers and mailboxes an authority may issue certificates (RFC 5280 section
/// 4.2.1.10).
///
/// The authority's certificate contains them as critical name constraints, so that a stolen key cannot certify other
/// names. Without domains, every DNS name and mailbox is forbidden; without networks, every IP address.
public struct PermittedNames: Hashable, Sendable {
    /// The domains in lowercase.
    ///
    /// Each permits itself, every name below it, and their mailboxes.
    public let domains: [String]
    /// The networks in CIDR notation, such as `192.168.0.0/16`; a single address is a network of one address.
    public let networks: [String]

    /// A reserved domain that cannot be registered (RFC 6761 section 6.4).
    ///
    /// As the only permitted domain, it forbids all others.
    private static let unregistrable = "invalid"
    /// All IPv4 and IPv6 addresses, as excluded ranges.
    private static let allNetworks = [[UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 32)]

    private let subtrees: [GeneralName]

    /// Creates name constraints from domains and networks.
    ///
    /// - Parameters:
    ///   - domains: DNS names in A-labels without wildcards; an empty array permits no DNS name and no mailbox.
    ///   - networks: IPv4 and IPv6 networks in CIDR notation; an empty array, the default, permits no address.
    /// - Throws: ``CertificateAuthorityError/malformedDomain(_:)``, ``CertificateAuthorityError/malformedNetwork(_:)``.
    public init(domains: [String], networks: [String] = []) throws(CertificateAuthorityError) {
        for domain in domains where !AlternativeName.isDNSName(domain) || domain.hasPrefix("*") {
            throw .malformedDomain(domain)
        }
        self.domains = domains.map { $0.lowercased() }
        self.networks = networks
        var subtrees: [GeneralName] = []
        for domain in self.domains.isEmpty ? [Self.unregistrable] : self.domains {
            subtrees += [.dnsName(domain), .rfc822Name(domain), .rfc822Name("." + domain)]
        }
        for network in networks {
            guard let range = Self.range(network) else { throw .malformedNetwork(network) }
            subtrees.append(.ipAddress(ASN1OctetString(contentBytes: range[...])))
        }
        self.subtrees = subtrees
    }

    /// Creates name constraints from a mixed list of domains and networks.
    ///
    /// - Parameter texts: The domains and networks. A text that contains a slash or is an address is a network; any
    ///   other text is a domain.
    /// - Throws: ``CertificateAuthorityError/malformedDomain(_:)``, ``CertificateAuthorityError/malformedNetwork(_:)``.
    public init(_ texts: [String]) throws(CertificateAuthorityError) {
        let isNetwork = { (text: String) in text.contains("/") || Self.range(text) != nil }
        try self.init(domains: texts.filter { !isNetwork($0) }, networks: texts.filter(isNetwork))
    }

    /// Returns the address and the mask of a network; address bits beyond the mask are cleared.
    private static func range(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddressText.ipv4(String($0)) ?? IPAddressText.ipv6(String($0)) })
        else {
            return nil
        }
        let bitCount = address.count * 8
        guard parts.count == 1 || parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let prefix = parts.count == 1 ? bitCount : Int(parts[1]), prefix <= bitCount
        else { return nil }
        let mask = address.indices.map { index in
            UInt8(truncatingIfNeeded: 0xff00 >> min(max(prefix - index * 8, 0), 8))
        }
        return zip(address, mask).map { $0 & $1 } + mask
    }

    var certificateExtension: Certificate.Extension {
        get throws {
            let excluded = networks.isEmpty ? Self.allNetworks : []
            return try Certificate.Extension(
                NameConstraints(
                    permittedSubtrees: subtrees,
                    excludedSubtrees: excluded.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }),
                critical: true)
        }
    }
}

extension NameConstraints {
    /// Returns whether the constraints permit a name.
    func permits(_ name: GeneralName) -> Bool {
        let permitted = permittedSubtrees.filter { $0.isSameKind(as: name) }
        guard permitted.isEmpty || permitted.contains(where: { name.isInside($0) }) else { return false }
        return excludedSubtrees.allSatisfy { !$0.isSameKind(as: name) || name.isOutside($0) }
    }
}

/// A server name or mailbox in the spelling of a certificate (RFC 5280 section 4.2.1.6).
struct AlternativeName {
    let generalName: GeneralName

    /// Parses an IP literal or a DNS name.
    ///
    /// Digits and dots that are not an address are refused, although they match the syntax of a DNS name.
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

    /// Parses an e-mail address.
    init(mailbox text: String) throws(CertificateAuthorityError) {
        guard Mailbox(text) != nil else { throw .malformedMailbox(text) }
        generalName = .rfc822Name(text)
    }

    /// Returns whether a text is a DNS name (RFC 1034 section 3.5 as relaxed by RFC 1123 section 2.1), with a wildcard
    /// only as the complete first label (RFC 9525 section 6.3).
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
    /// The name as text, such as `intranet.example`, `192.0.2.1` or `mary@example.org`; `nil` for other kinds of name.
    var plainText: String? {
        switch self {
        case .dnsName(let name), .rfc822Name(let name): name
        case .ipAddress(let octets): IPAddressText.text(of: octets.bytes)
        default: nil
        }
    }
}
