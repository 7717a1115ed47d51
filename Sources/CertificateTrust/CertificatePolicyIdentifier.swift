// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// A certificate policy, by its object identifier (RFC 5280 section 4.2.1.4).
public struct CertificatePolicyIdentifier: Hashable, Sendable {
    private let identifier: ASN1ObjectIdentifier

    /// A policy by its number, such as `2.23.140.1.2.1`.
    ///
    /// - Returns: `nil` where the text is no object identifier.
    public init?(_ text: String) {
        guard let identifier = try? ASN1ObjectIdentifier(dotRepresentation: text) else { return nil }
        self.identifier = identifier
    }

    /// - Parameter content: The content of an object identifier, without tag and length.
    init?(encoded content: ArraySlice<UInt8>) {
        guard content.count < 0x80,
            let identifier = try? ASN1ObjectIdentifier(
                derEncoded: [DERTag.objectIdentifier, UInt8(content.count)] + content)
        else { return nil }
        self.identifier = identifier
    }

    private init(_ numbers: ASN1ObjectIdentifier) { identifier = numbers }

    /// anyPolicy: every policy.
    public static let any = CertificatePolicyIdentifier([2, 5, 29, 32, 0] as ASN1ObjectIdentifier)
    /// Extended validation, by the CA/Browser Forum.
    public static let extendedValidation = CertificatePolicyIdentifier([2, 23, 140, 1, 1] as ASN1ObjectIdentifier)
    /// Only the domain was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let domainValidated = CertificatePolicyIdentifier([2, 23, 140, 1, 2, 1] as ASN1ObjectIdentifier)
    /// The organization was validated too, by the CA/Browser Forum's Baseline Requirements.
    public static let organizationValidated = CertificatePolicyIdentifier(
        [2, 23, 140, 1, 2, 2] as ASN1ObjectIdentifier)
    /// A person was validated, by the CA/Browser Forum's Baseline Requirements.
    public static let individualValidated = CertificatePolicyIdentifier([2, 23, 140, 1, 2, 3] as ASN1ObjectIdentifier)

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
    /// The numbers with dots.
    public var description: String { "\(identifier)" }
}
