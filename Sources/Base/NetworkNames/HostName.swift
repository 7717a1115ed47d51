// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The name or address that a connection was made to, in the one spelling that certificates are matched against.
public struct HostName: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        case name
        /// Four bytes or sixteen, in network order.
        case address([UInt8])
    }

    package let kind: Kind
    /// The canonical spelling: lower case, no final dot, no brackets, an IPv6 address as in RFC 5952.
    public let description: String

    /// Reads a DNS name in ASCII (RFC 1123, with A-labels for other scripts), or an IPv4 or IPv6 address.
    ///
    /// - Parameter text: The name in letters of either case, of 253 characters at most, with or without a final dot, and with underscores
    ///   allowed; or four decimal numbers without leading zeros; or an IPv6 address (RFC 4291 section 2.2) without a zone, with or without
    ///   brackets.
    /// - Throws: ``HostNameError`` where the text is none of these.
    public init(_ text: String) throws(HostNameError) {
        if let address = Self.address(text) {
            kind = .address(address)
            // An IPv4 address has one spelling.
            description = address.count == 4 ? text : IPAddressText.text(of: address)
            return
        }
        (kind, description) = (.name, try Self.name(text))
    }

    package static let localhost = Self(checkedName: "localhost")

    /// A name in its canonical spelling.
    private init(checkedName name: String) {
        (kind, description) = (.name, name)
    }

    /// Whether it is an IPv4 or IPv6 address rather than a DNS name.
    public var isAddress: Bool {
        if case .address = kind { true } else { false }
    }

    /// Four bytes or sixteen, in network order; `nil` for a name.
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
        // A last label of digits is how a shortened or octal IPv4 address looks, which resolvers read differently.
        guard !isAmbiguous else { throw .ambiguousAddress(text) }
        return name
    }

    /// Whether the last label looks like a number.
    ///
    /// - Returns: `nil` where one of the labels is none.
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
    /// The domain directly above a name; `nil` for a name of one label, and for an address.
    package var parent: HostName? {
        guard !isAddress, let dot = description.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return HostName(checkedName: String(description[dot...].dropFirst()))
    }

    /// Domains that no public authority issues for: special-use names (RFC 6761, RFC 6762, RFC 8375), `internal`, which ICANN
    /// reserves for private use, and habits of private networks.
    private static let privateSuffixes: Set<String> = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
        "onion", "private", "test",
    ]

    /// Whether the name can be one of the public DNS: neither an address, nor a single label, nor below a domain for private use.
    package var isPublicName: Bool {
        let labels = description.split(separator: ".")
        guard !isAddress, labels.count > 1, let last = labels.last else { return false }
        return !Self.privateSuffixes.contains(String(last)) && labels.suffix(2) != ["home", "arpa"]
    }
}

/// Why a text is no host name.
@nonexhaustive
public enum HostNameError: Error, Hashable, Sendable {
    /// The text is neither a DNS name nor an address. Holds the text, as the other cases do.
    case malformed(String)
    /// The name is not in ASCII. Its A-label form (`xn--…`) is needed.
    case notASCII(String)
    /// The text looks like an IPv4 address that is not written as four decimal numbers.
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
