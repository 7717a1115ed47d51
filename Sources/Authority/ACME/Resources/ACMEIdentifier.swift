// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import SwiftASN1
package import X509

/// A DNS name or IP address for which a certificate is ordered (RFC 8555 section 9.7.7, RFC 8738).
public struct ACMEIdentifier: Codable, Hashable, Sendable {
    /// The kind of an identifier; an authority may support further kinds.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A DNS name in A-labels; in an order, it can begin with `*.`.
        public static let dns = Self(rawValue: "dns")
        /// An IP address.
        public static let ip = Self(rawValue: "ip")
    }

    /// The kind of the identifier.
    public var type: Kind
    /// The DNS name or the IP address.
    public var value: String

    /// Creates an identifier with the spelling that a peer sent.
    public init(type: Kind, value: String) { (self.type, self.value) = (type, value) }

    /// Parses an IP literal or a DNS name into its canonical spelling; returns `nil` if the text is neither.
    ///
    /// - Parameter text: A DNS name in ASCII, with a leading `*.` for a wildcard, or an address without brackets.
    public init?(_ text: String) {
        let isWildcard = text.hasPrefix("*.")
        let name = isWildcard ? String(text.dropFirst(2)) : text
        // Host names with underscores occur in practice, but no certificate contains one (RFC 5280 section 4.2.1.6).
        guard !name.hasPrefix("["), !name.hasSuffix("."), !name.contains("_"), let host = try? HostName(name) else {
            return nil
        }
        let isAddress = IPAddressText.ipv4(name) != nil || IPAddressText.ipv6(name) != nil
        if isAddress, isWildcard { return nil }
        self.init(type: isAddress ? .ip : .dns, value: (isWildcard ? "*." : "") + host.description)
    }

    /// The identifier in its canonical spelling, such as a DNS name in lower case; `nil` if the value is malformed or
    /// of another kind.
    public var canonical: ACMEIdentifier? {
        guard let read = ACMEIdentifier(value), read.type == type else { return nil }
        return read
    }

    /// Whether the identifier is a DNS name with a leading `*.`, which stands for exactly one label.
    public var isWildcard: Bool { type == .dns && value.hasPrefix("*.") }

    /// The identifier of the authorization that this identifier requires: the same without `*.` (RFC 8555
    /// section 7.1.4).
    public var authorized: ACMEIdentifier {
        isWildcard ? ACMEIdentifier(type: type, value: String(value.dropFirst(2))) : self
    }
}

extension ACMEIdentifier {
    /// The names of a certificate in canonical spelling.
    ///
    /// A name that is neither a DNS name nor an IP address becomes an identifier that no client orders.
    package static func all(in certificate: Certificate) -> Set<ACMEIdentifier> {
        let names = (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames()
        return Set(
            names.map { name in
                switch name {
                case .dnsName(let text): ACMEIdentifier(text) ?? ACMEIdentifier(type: .dns, value: text)
                case .ipAddress(let octets): ACMEIdentifier(type: .ip, value: IPAddressText.text(of: octets.bytes))
                default: ACMEIdentifier(type: .dns, value: "\(name)")
                }
            })
    }
}
