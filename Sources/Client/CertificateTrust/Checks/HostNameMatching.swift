// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
package import X509

/// Matches a host against the names in a certificate (RFC 9525 section 6).
///
/// The common name is ignored.
package enum HostNameMatching {
    static func matches(_ names: [GeneralName], _ peer: PeerName) -> Bool {
        switch peer {
        case .host(let host): matches(names, host)
        case .mailbox(let mailbox): names.contains { Mailbox($0)?.matches(mailbox) ?? false }
        case .anyOf(let peers): peers.contains { matches(names, $0) }
        }
    }

    package static func matches(_ names: [GeneralName], _ host: HostName) -> Bool {
        names.contains { name in
            switch (name, host.kind) {
            case (.dnsName(let pattern), .name): matches(pattern: pattern, host)
            case (.ipAddress(let octets), .address(let bytes)): octets.bytes.elementsEqual(bytes)
            default: false
            }
        }
    }

    /// Returns whether a name matches; a wildcard must be the complete leftmost label, followed by at least two labels
    /// (sections 6.3 and 7.1).
    ///
    /// The comparison copies nothing, because a certificate can have thousands of names.
    static func matches(pattern: String, _ host: HostName) -> Bool {
        // Most names are spelled like the host.
        if pattern == host.description { return true }
        let (pattern, name) = (pattern.utf8, host.description.utf8)
        guard pattern.first == UInt8(ascii: "*"), pattern.dropFirst().first == UInt8(ascii: ".") else {
            return isEqual(pattern, name)
        }
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")),
            name[name.index(after: dot)...].contains(UInt8(ascii: "."))
        else { return false }
        return isEqual(pattern.dropFirst(), name[dot...])
    }

    /// Compares text in any case with lowercase text.
    private static func isEqual(_ text: some Collection<UInt8>, _ name: some Collection<UInt8>) -> Bool {
        text.count == name.count
            && zip(text, name).allSatisfy {
                $0 == $1 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) && $0 | 0x20 == $1
            }
    }
}

/// The expected identity of the peer.
package enum PeerName: Hashable, Sendable {
    case host(HostName)
    /// An email address in the form used in certificates (RFC 5280 section 4.2.1.6): `user@host`.
    case mailbox(String)
    /// One of several names.
    case anyOf([PeerName])

    /// Reads a name: an email address if it contains an at sign, and otherwise a DNS name or an IP address.
    package init(_ text: String) throws(HostNameError) {
        self = text.contains("@") ? .mailbox(text) : .host(try HostName(text))
    }

    var text: String {
        switch self {
        case .host(let host): host.description
        case .mailbox(let mailbox): mailbox
        case .anyOf(let peers):
            peers.prefix(3).map(\.text).joined(separator: " or ")
                + (peers.count > 3 ? " or one of \(peers.count - 3) other names" : "")
        }
    }
}

/// An email address in the form used in certificates (RFC 5280
/// section 4.2.1.6): a case-sensitive local part and a host.
package struct Mailbox {
    let local: String
    let host: String

    /// Reads an address with exactly one `@`, a plain local part (no quotes, no spaces), and a DNS name in A-labels.
    package init?(_ text: String) { self.init(text, isInternational: false) }

    private init?(_ text: String, isInternational: Bool) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ Self.isPlain($0) || isInternational && $0 >= 0x80 }),
            let host = try? HostName(String(parts[1])), !host.isAddress, !parts[1].hasSuffix(".")
        else { return nil }
        local = String(parts[0])
        self.host = host.description
    }

    /// Reads an rfc822Name, or a SmtpUTF8Mailbox, whose local part is not ASCII (RFC 9598 section 3).
    init?(_ name: GeneralName) {
        switch name {
        case .rfc822Name(let text): self.init(text)
        case .otherName(let other):
            guard let text = other.internationalMailbox else { return nil }
            self.init(text, isInternational: true)
            guard !local.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        default: return nil
        }
    }

    /// The address as text.
    var text: String { "\(local)@\(host)" }

    func matches(_ text: String) -> Bool {
        guard let other = Mailbox(text, isInternational: true) else { return false }
        return local.utf8.elementsEqual(other.local.utf8) && host == other.host
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"(),:;<>[\\]".utf8.contains(byte)
    }
}

extension GeneralName.OtherName {
    /// The text of a SmtpUTF8Mailbox (RFC 9598 section 3); `nil` for every other name.
    fileprivate var internationalMailbox: String? {
        guard typeID == Self.mailbox, let value, let text = try? ASN1UTF8String(asn1Any: value) else { return nil }
        return String(text)
    }
}

/// Checks whether only a wildcard that spans unrelated registrants' domains matches the host (Baseline Requirements
/// section 3.2.2.6).
enum WildcardCheck {
    /// The maximum number of matching names to check; at most one
    /// exact name and one wildcard can match, more are duplicates.
    private static let limit = 4

    static func isNamedByBroadWildcard(
        _ leaf: ParsedCertificate, _ peers: [PeerName], _ publicSuffixes: () -> PublicSuffixList?
    ) -> Bool {
        let names = leaf.alternativeNames.value ?? []
        guard names.contains(where: \.isWildcard) else { return false }
        return peers.contains { peer in
            // Only names that match the peer are looked up, because a certificate can have thousands of others.
            let matching = names.lazy.filter { HostNameMatching.matches([$0], peer) }
            return matching.first != nil
                && matching.prefix(Self.limit).allSatisfy { spansPublicSuffix($0, publicSuffixes) }
        }
    }

    private static func spansPublicSuffix(_ name: GeneralName, _ publicSuffixes: () -> PublicSuffixList?) -> Bool {
        guard name.isWildcard, case .dnsName(let name) = name, let publicSuffixes = publicSuffixes() else {
            return false
        }
        return publicSuffixes.isPublicSuffix(String(name.dropFirst(2)))
    }
}

extension GeneralName {
    fileprivate var isWildcard: Bool {
        if case .dnsName(let name) = self { name.utf8.starts(with: "*.".utf8) } else { false }
    }
}
