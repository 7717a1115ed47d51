// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// A certificate policy, identified by an object identifier (RFC 5280 section 4.2.1.4).
///
/// Two values are equal if their object identifiers are equal; the name is for display only.
public struct CertificatePolicyIdentifier: Sendable {
    /// The encoded content of the object identifier; its numbers can have any length.
    private let encoded: [UInt8]
    /// The name that the caller gave.
    var ownName: String?

    /// Makes a policy from an object identifier such as `2.23.140.1.2.1`; `nil` if the text is invalid or a number
    /// exceeds 64 bits.
    ///
    /// Explanations show the `name`, such as an organization's own name for the policy.
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

    /// - Parameter content: The content octets of an object identifier, without tag and length.
    init(encoded content: ArraySlice<UInt8>) { encoded = Array(content) }

    private init(_ numbers: [UInt8]) { encoded = numbers }

    /// - Parameter text: The form of ``description`` for numbers that exceed 64 bits: `#` and hexadecimal digits.
    init?(hexadecimal text: String) {
        guard text.hasPrefix("#"), let encoded = Hexadecimal.decode(text.dropFirst()), !encoded.isEmpty else {
            return nil
        }
        self.encoded = encoded
    }

    /// Returns the number in base 128, in groups of seven bits with a continuation bit in all but the last (X.690
    /// section 8.19.2).
    private static func base128(_ number: UInt64) -> [UInt8] {
        var groups = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return groups.reversed()
    }

    /// The special policy anyPolicy, which includes every policy (RFC 5280 section 4.2.1.4).
    public static let any = CertificatePolicyIdentifier([0x55, 0x1D, 0x20, 0x00])
    /// Extended validation, defined by the CA/Browser Forum.
    public static let extendedValidation = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x01])
    /// Validation of the domain only, defined by the CA/Browser Forum's Baseline Requirements.
    public static let domainValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x01])
    /// Validation of the organization, defined by the CA/Browser Forum's Baseline Requirements.
    public static let organizationValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x02])
    /// Validation of an individual, defined by the CA/Browser Forum's Baseline Requirements.
    public static let individualValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x03])

    /// The name given by the caller, or the name of a well-known policy; `nil` for other policies.
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
    /// Returns whether two policies have the same object identifier.
    public static func == (one: Self, other: Self) -> Bool { one.encoded == other.encoded }

    /// Returns whether the encoding sorts before that of another policy.
    func precedes(_ other: Self) -> Bool { encoded.lexicographicallyPrecedes(other.encoded) }

    /// Hashes the object identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension CertificatePolicyIdentifier: CustomStringConvertible {
    /// The object identifier in dotted decimal; if a number exceeds
    /// 64 bits, `#` and the encoding in hexadecimal digits.
    public var description: String { ASN1Identifiers.text(encoded[...]) }
}

extension CertificatePolicyIdentifier {
    /// The name and the object identifier, for explanations.
    var title: String { name.map { "\($0) (\(self))" } ?? description }
}

/// The requirements on the certificate policies of a path (RFC 5280 section 6.1.1, inputs c to g).
///
/// The defaults accept every path.
public struct CertificatePolicyInputs: Hashable, Sendable, Codable {
    /// The accepted policies, the user-initial-policy-set; `nil` accepts all.
    ///
    /// The set applies only if a policy is required, by ``isRequired`` or by a certificate of the path.
    public var acceptable: Set<CertificatePolicyIdentifier>?
    /// Whether the path must be valid for an accepted policy: initial-explicit-policy.
    public var isRequired: Bool
    /// Whether an authority may map its own policy to another domain's
    /// policy, the inverse of initial-policy-mapping-inhibit.
    public var allowsMapping: Bool
    /// Whether the policy anyPolicy counts as every policy, the inverse of initial-any-policy-inhibit.
    public var allowsAnyPolicy: Bool

    /// Makes inputs; the defaults accept every path, and an `acceptable` set with ``CertificatePolicyIdentifier/any``
    /// accepts all policies.
    public init(
        acceptable: Set<CertificatePolicyIdentifier>? = nil, isRequired: Bool = false, allowsMapping: Bool = true,
        allowsAnyPolicy: Bool = true
    ) {
        self.acceptable = acceptable?.contains(.any) == true ? nil : acceptable
        self.isRequired = isRequired
        (self.allowsMapping, self.allowsAnyPolicy) = (allowsMapping, allowsAnyPolicy)
    }
}

/// The reason why a path is not valid for a required certificate policy.
@nonexhaustive
public enum PolicyProblem: Hashable, Sendable {
    /// A certificate names none of the policies that the authorities above it allow.
    ///
    /// `found` are the policies in the certificate, `allowed` the policies that it could have contained. Both are
    /// sorted and may be empty. A failure keeps the first 20 of each, because a certificate can name thousands.
    case notAllowed(found: [CertificatePolicyIdentifier], allowed: [CertificatePolicyIdentifier])
    /// The path is valid for the policies `found`, but the caller accepts only others
    /// (``CertificatePolicyInputs/acceptable``).
    case notAccepted(found: [CertificatePolicyIdentifier], acceptable: [CertificatePolicyIdentifier])

    static let limit = 20
}

extension CertificatePolicyIdentifier: Codable {
    private enum Key: String, CodingKey {
        case identifier, name
    }

    /// Decodes a policy written by ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` if `identifier` is not an object identifier, and the decoder's errors.
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

    /// Encodes the object identifier, and the name if there is one.
    ///
    /// - Throws: The encoder's errors.
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

    /// Decodes a problem written by ``encode(to:)``.
    ///
    /// - Throws: The decoder's errors.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let policies = { try container.decode([CertificatePolicyIdentifier].self, forKey: $0) }
        self =
            container.contains(.allowed)
            ? .notAllowed(found: try policies(.found), allowed: try policies(.allowed))
            : .notAccepted(found: try policies(.found), acceptable: try policies(.acceptable))
    }

    /// Encodes the policies `found`, and those `allowed` or `acceptable`.
    ///
    /// - Throws: The encoder's errors.
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
