// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// A certificate policy, by its object identifier (RFC 5280 section 4.2.1.4).
///
/// Two values are equal where their object identifiers are; a name only serves readers.
public struct CertificatePolicyIdentifier: Sendable {
    /// The content of the object identifier, as it is encoded: its numbers can have any length.
    private let encoded: [UInt8]
    /// The name that the caller gave.
    var ownName: String?

    /// Makes a policy of an object identifier, such as `2.23.140.1.2.1`; `nil` where it is none, or one of its numbers exceeds 64 bits.
    ///
    /// A `name` is what explanations call the policy, such as an organization's own name for it.
    public init?(_ text: String, name: String? = nil) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { number in
            number.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(number) : nil
        }
        guard numbers.count > 1, let first = numbers[0], let second = numbers[1], first <= 2,
            first == 2 || second < 40, second <= .max - 80
        else { return nil }
        var encoded = Self.base128(first * 40 + second)
        for number in numbers.dropFirst(2) {
            guard let number else { return nil }
            encoded += Self.base128(number)
        }
        self.encoded = encoded
        ownName = name
    }

    /// - Parameter content: The content of an object identifier, without tag and length.
    init(encoded content: ArraySlice<UInt8>) { encoded = Array(content) }

    private init(_ numbers: [UInt8]) { encoded = numbers }

    /// - Parameter text: What ``description`` makes of numbers that are too large for decimal digits.
    init?(hexadecimal text: String) {
        guard text.hasPrefix("#"), let encoded = Hexadecimal.decode(text.dropFirst()), !encoded.isEmpty else {
            return nil
        }
        self.encoded = encoded
    }

    /// Groups of seven bits, all but the last one marked (X.690 section 8.19.2).
    private static func base128(_ number: UInt64) -> [UInt8] {
        var groups = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return groups.reversed()
    }

    /// The special policy anyPolicy, which stands for every policy (RFC 5280 section 4.2.1.4).
    public static let any = CertificatePolicyIdentifier([0x55, 0x1D, 0x20, 0x00])
    /// Extended validation, by the CA/Browser Forum.
    public static let extendedValidation = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x01])
    /// Only the domain was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let domainValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x01])
    /// The organization was validated too, by the CA/Browser Forum's Baseline Requirements.
    public static let organizationValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x02])
    /// A person was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let individualValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x03])

    /// The name that the policy was given, or that of a well-known policy; `nil` for others.
    public var name: String? {
        if let ownName { return ownName }
        return switch self {
        case .any: "any policy"
        case .extendedValidation: "extended validation"
        case .domainValidated: "domain validated"
        case .organizationValidated: "organization validated"
        case .individualValidated: "individual validated"
        default: nil
        }
    }
}

extension CertificatePolicyIdentifier: Hashable {
    /// Whether both have the same object identifier.
    public static func == (one: Self, other: Self) -> Bool { one.encoded == other.encoded }

    /// Whether its encoding sorts before another one.
    func precedes(_ other: Self) -> Bool { encoded.lexicographicallyPrecedes(other.encoded) }

    /// Hashes the object identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension CertificatePolicyIdentifier: CustomStringConvertible {
    /// The object identifier with dots; where one of its numbers exceeds 64 bits, `#` and the encoding in hexadecimal digits.
    public var description: String {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in encoded {
            guard number <= .max >> 7 else { return "#" + Hexadecimal.encode(encoded) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 {
                numbers += numbers.isEmpty ? [min(number / 40, 2), number - min(number / 40, 2) * 40] : [number]
                number = 0
            }
        }
        return numbers.map(String.init).joined(separator: ".")
    }
}

extension CertificatePolicyIdentifier {
    /// The name and the number, for explanations.
    var title: String { name.map { "\($0) (\(self))" } ?? description }
}

/// The requirements of a path's certificate policies (RFC 5280 section 6.1.1, inputs c to g).
///
/// The defaults accept every path.
public struct CertificatePolicyInputs: Hashable, Sendable, Codable {
    /// The policies that are accepted, the user-initial-policy-set; `nil` accepts all.
    ///
    /// They bind where a policy is required, by ``isRequired`` or by a certificate of the path.
    public var acceptable: Set<CertificatePolicyIdentifier>?
    /// Whether a path must be good for an accepted policy: initial-explicit-policy.
    public var isRequired: Bool
    /// Whether an authority may declare another's policy equal to its own: not initial-policy-mapping-inhibit.
    public var allowsMapping: Bool
    /// Whether the policy anyPolicy counts as every policy: not initial-any-policy-inhibit.
    public var allowsAnyPolicy: Bool

    /// Makes inputs; the defaults accept every path, and `acceptable` with ``CertificatePolicyIdentifier/any`` in it accepts all policies.
    public init(
        acceptable: Set<CertificatePolicyIdentifier>? = nil, isRequired: Bool = false, allowsMapping: Bool = true,
        allowsAnyPolicy: Bool = true
    ) {
        self.acceptable = acceptable?.contains(.any) == true ? nil : acceptable
        self.isRequired = isRequired
        (self.allowsMapping, self.allowsAnyPolicy) = (allowsMapping, allowsAnyPolicy)
    }
}

/// Why a path is good for no certificate policy.
@nonexhaustive
public enum PolicyProblem: Hashable, Sendable {
    /// A certificate names none of the policies that the authorities above it allow.
    ///
    /// `found` are the policies that the certificate names, `allowed` those that it could have named. Both are sorted, and empty for none.
    /// A failure keeps the first 20 of each, because a certificate can name thousands.
    case notAllowed(found: [CertificatePolicyIdentifier], allowed: [CertificatePolicyIdentifier])
    /// The path is good for the policies `found`, and the caller accepts other policies (``CertificatePolicyInputs/acceptable``).
    case notAccepted(found: [CertificatePolicyIdentifier], acceptable: [CertificatePolicyIdentifier])

    static let limit = 20
}

extension CertificatePolicyIdentifier: Codable {
    private enum Key: String, CodingKey {
        case identifier, name
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: `DecodingError` where `identifier` is no object identifier, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let text = try container.decode(String.self, forKey: .identifier)
        guard let policy = Self(text) ?? Self(hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .identifier, in: container, debugDescription: "This is no object identifier.")
        }
        self = policy
        let name = try container.decodeIfPresent(String.self, forKey: .name)
        if name != self.name { ownName = name }
    }

    /// Writes the object identifier, and the name where there is one.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(description, forKey: .identifier)
        try container.encodeIfPresent(name, forKey: .name)
    }
}

extension PolicyProblem: Codable {
    private enum Key: String, CodingKey {
        case found, allowed, acceptable
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let policies = { try container.decode([CertificatePolicyIdentifier].self, forKey: $0) }
        self =
            container.contains(.allowed)
            ? .notAllowed(found: try policies(.found), allowed: try policies(.allowed))
            : .notAccepted(found: try policies(.found), acceptable: try policies(.acceptable))
    }

    /// Writes the policies `found`, and beside them those `allowed` or `acceptable`.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .notAllowed(let found, let allowed):
            try container.encode(found, forKey: .found)
            try container.encode(allowed, forKey: .allowed)
        case .notAccepted(let found, let acceptable):
            try container.encode(found, forKey: .found)
            try container.encode(acceptable, forKey: .acceptable)
        }
    }
}
