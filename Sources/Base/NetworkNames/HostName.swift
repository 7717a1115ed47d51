// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The host name or IP address of a server, in the canonical spelling that certificates are matched against.
public struct HostName: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        case name
        /// An address of 4 or 16 bytes, in network byte order.
        case address([UInt8])
    }

    package let kind: Kind
    /// The canonical spelling: lowercase, without a final dot or brackets, with IPv6 addresses as in RFC 5952.
    public let description: String

    /// Reads a DNS name in ASCII (RFC 1123, with A-labels for other scripts), or an IPv4 or IPv6 address.
    ///
    /// - Parameter text: A name in any case, with at most 253 characters, with or without a final dot, in which
    ///   underscores are allowed; or four decimal numbers without leading zeros; or an IPv6 address (RFC 4291 section
    ///   2.2) without a zone, with or without brackets.
    /// - Throws: ``HostNameError`` if the text is none of these.
    public init(_ text: String) throws(HostNameError) {
        if let address = Self.address(text) {
            kind = .address(address)
            // An IPv4 address has only one accepted spelling.
            description = address.count == 4 ? text : IPAddressText.text(of: address)
            return
        }
        (kind, description) = (.name, try Self.name(text))
    }

    package static let localhost = Self(checkedName: "localhost")

    /// Makes a name from its canonical spelling.
    private init(checkedName name: String) {
        (kind, description) = (.name, name)
    }

    /// Whether the value is an IPv4 or IPv6 address, and not a DNS name.
    public var isAddress: Bool {
        if case .address = kind { true } else { false }
    }

    /// Whether the name is `localhost` or below it, which always is the loopback interface (RFC 6761 section 6.3).
    package var isLocalhost: Bool { self == .localhost || description.hasSuffix(".localhost") }

    /// The address of 4 or 16 bytes, in network byte order; `nil` for a name.
    package var addressBytes: [UInt8]? {
        if case .address(let bytes) = kind { bytes } else { nil }
    }

    private static func address(_ text: String) -> [UInt8]? {
        let isBracketed = text.utf8.first == UInt8(ascii: "[") && text.utf8.last == UInt8(ascii: "]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        return IPAddressText.ipv6(bare) ?? (isBracketed ? nil : IPAddressText.ipv4(bare))
    }

    private static func name(_ text: String) throws(HostNameError) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII(text) }
        var name = text.lowercased()
        if name.utf8.last == .dot { name.removeLast() }
        guard name.utf8.count <= 253, let isAmbiguous = name.withUTF8({ endsInNumber($0) }) else {
            throw .malformed(text)
        }
        // A numeric last label may be part of a shortened or octal IPv4 address, which resolvers interpret differently.
        guard !isAmbiguous else { throw .ambiguousAddress(text) }
        return name
    }

    /// Returns whether the last label looks like a number.
    ///
    /// - Returns: `nil` if a label is invalid.
    private static func endsInNumber(_ name: UnsafeBufferPointer<UInt8>) -> Bool? {
        var rest = name[...]
        while true {
            let label = rest.prefix { $0 != .dot }
            guard isLabel(label) else { return nil }
            guard label.endIndex < rest.endIndex else {
                return label.allSatisfy(\.isDigit) || label.starts(with: "0x".utf8)
            }
            rest = rest[label.endIndex...].dropFirst()
        }
    }

    private static func isLabel(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        (1...63).contains(label.count) && label.first != .hyphen && label.last != .hyphen
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), .hyphen: true
                default: byte.isDigit
                }
            }
    }
}

extension HostName {
    /// The parent domain of a name; `nil` for a name with one label, and for an address.
    package var parent: HostName? {
        guard !isAddress, let dot = description.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return HostName(checkedName: String(description[dot...].dropFirst()))
    }

    /// The top-level domains for which no public authority issues certificates: special-use names (RFC 6761, RFC 6762,
    /// RFC 8375), `internal`, which ICANN reserves for private use, and names that are common in private networks.
    private static let privateSuffixes: Set<String> = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
        "onion", "private", "test",
    ]

    /// Whether the name may exist in public DNS: not an address,
    /// not a single label, and not below a domain for private use.
    package var isPublicName: Bool {
        let labels = description.split(separator: ".")
        guard !isAddress, labels.count > 1, let last = labels.last else { return false }
        return !Self.privateSuffixes.contains(String(last)) && labels.suffix(2) != ["home", "arpa"]
    }
}

extension HostName {
    /// Reads a host, or a host and a port, as in the authority of a URL (RFC 3986 section 3.2).
    ///
    /// - Parameter text: A host as for ``init(_:)``, or `host:port` with a port from 1 to 65,535.
    /// - Returns: The host, and the port if the text has one; `nil` for any other text.
    package static func withPort(_ text: String) -> (host: HostName, port: Int?)? {
        if let host = try? HostName(text) { return (host, nil) }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[colon...].dropFirst()),
            (1...65_535).contains(port), let host = try? HostName(String(text[..<colon]))
        else { return nil }
        return (host, port)
    }
}

/// An error of reading a host name.
@nonexhaustive
public enum HostNameError: Error, Hashable, Sendable {
    /// The text is neither a DNS name nor an address. Like the other cases, it holds the text.
    case malformed(String)
    /// The name contains non-ASCII characters. Its A-label form (`xn--…`) is required.
    case notASCII(String)
    /// The text looks like an IPv4 address in a form other than four decimal numbers.
    case ambiguousAddress(String)
}

extension HostNameError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let text):
            ErrorExplanation(
                .usage, "host-name.malformed", "\"\(text)\" is not a host name.",
                reason:
                    "A name has labels of up to 63 letters, digits and hyphens, with dots between (RFC 1123 section 2.1).",
                advice: "Write it as intranet.example.")
        case .notASCII(let text):
            ErrorExplanation(
                .usage, "host-name.not-ascii", "The host name \"\(text)\" is not in ASCII.",
                reason: "Certificates and DNS have names of other scripts in their ASCII form (RFC 5890).",
                advice: "Write it in its xn-- form.")
        case .ambiguousAddress(let text):
            ErrorExplanation(
                .usage, "host-name.ambiguous-address", "\"\(text)\" looks like an IP address in an unusual form.",
                reason: "Programs disagree about which address it is.",
                advice: "Write the address as four decimal numbers.")
        }
    }

    package static var examples: [Self] {
        [.malformed("a b"), .notASCII("b\u{fc}cher.example"), .ambiguousAddress("127.1")]
    }
}

extension UInt8 {
    fileprivate static let dot = UInt8(ascii: ".")
    fileprivate static let hyphen = UInt8(ascii: "-")

    /// Whether the byte is an ASCII digit.
    @inlinable package var isDigit: Bool { (0x30...0x39).contains(self) }
}
