// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A certificate policy, by its object identifier (RFC 5280 section 4.2.1.4).
public struct CertificatePolicyIdentifier: Hashable, Sendable {
    /// The content of the object identifier, as it is encoded: its numbers can have any length.
    private let encoded: [UInt8]

    /// A policy by its number, such as `2.23.140.1.2.1`.
    ///
    /// - Returns: `nil` where the text is no object identifier, or a number of it has more than 64 bits.
    public init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count > 1, let first = numbers[0], let second = numbers[1], first <= 2,
            first == 2 || second < 40, second <= .max - 80
        else { return nil }
        var encoded = Self.base128(first * 40 + second)
        for number in numbers.dropFirst(2) {
            guard let number else { return nil }
            encoded += Self.base128(number)
        }
        self.encoded = encoded
    }

    /// - Parameter content: The content of an object identifier, without tag and length.
    init(encoded content: ArraySlice<UInt8>) { encoded = Array(content) }

    private init(_ numbers: [UInt8]) { encoded = numbers }

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

    /// anyPolicy: every policy.
    public static let any = CertificatePolicyIdentifier([0x55, 0x1D, 0x20, 0x00])
    /// Extended validation, by the CA/Browser Forum.
    public static let extendedValidation = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x01])
    /// Only the domain was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let domainValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x01])
    /// The organization was validated too, by the CA/Browser Forum's Baseline Requirements.
    public static let organizationValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x02])
    /// A person was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let individualValidated = CertificatePolicyIdentifier([0x67, 0x81, 0x0C, 0x01, 0x02, 0x03])

    /// The name of a well-known policy; `nil` for others.
    public var name: String? {
        switch self {
        case .any: "any policy"
        case .extendedValidation: "extended validation"
        case .domainValidated: "domain validated"
        case .organizationValidated: "organization validated"
        case .individualValidated: "individual validated"
        default: nil
        }
    }
}

extension CertificatePolicyIdentifier: CustomStringConvertible {
    /// The numbers with dots; a number of more than 64 bits makes it the encoding in hexadecimal digits, after `#`.
    public var description: String {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in encoded {
            guard number <= .max >> 7 else {
                return "#" + encoded.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 {
                numbers += numbers.isEmpty ? [min(number / 40, 2), number - min(number / 40, 2) * 40] : [number]
                number = 0
            }
        }
        return numbers.map(String.init).joined(separator: ".")
    }
}
