// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// Which names an authority may issue for (RFC 5280 section 4.2.1.10).
///
/// Kinds of names that are not compared here fail closed: a constraint on one forbids every name of it.
enum NameConstraintsCheck {
    /// - Parameter path: Leaf first, anchor last.
    static func check(_ path: [Certificate]) throws(TrustFailure) {
        for (index, authority) in path.enumerated().dropFirst() {
            let constraints = try authority.read(.X509ExtensionID.nameConstraints) { try $0.nameConstraints }
            guard let constraints else { continue }
            for (position, certificate) in path[..<index].enumerated() {
                // A self-issued intermediate is exempt; a leaf is not (section 6.1.3 step b).
                if position > 0, certificate.subject == certificate.issuer { continue }
                let names = try certificate.read(.X509ExtensionID.subjectAlternativeName) {
                    try $0.subjectAlternativeNames
                }
                guard (names ?? .init([])).allSatisfy({ isAllowed($0, by: constraints) }) else {
                    throw .nameConstraints(CertificateSummary(certificate), authority: CertificateSummary(authority))
                }
            }
        }
    }

    private static func isAllowed(_ name: GeneralName, by constraints: NameConstraints) -> Bool {
        guard !constraints.excludedSubtrees.contains(where: { name.isSameKind(as: $0) && !name.isOutside($0) }) else {
            return false
        }
        let permitted = constraints.permittedSubtrees.filter { name.isSameKind(as: $0) }
        return permitted.isEmpty || permitted.contains { name.isInside($0) }
    }
}

extension GeneralName {
    fileprivate func isSameKind(as other: GeneralName) -> Bool {
        switch (self, other) {
        case (.dnsName, .dnsName), (.ipAddress, .ipAddress), (.directoryName, .directoryName),
            (.rfc822Name, .rfc822Name), (.uniformResourceIdentifier, .uniformResourceIdentifier),
            (.otherName, .otherName), (.registeredID, .registeredID), (.x400Address, .x400Address),
            (.ediPartyName, .ediPartyName):
            true
        default: false
        }
    }

    /// Whether the name certainly lies in a subtree.
    fileprivate func isInside(_ subtree: GeneralName) -> Bool {
        switch (self, subtree) {
        case (.dnsName(let name), .dnsName(let base)): Self.name(name, liesBelow: base)
        case (.ipAddress(let address), .ipAddress(let range)): Self.address(address.bytes, liesIn: range.bytes)
        default: false
        }
    }

    /// Whether the name certainly lies beside a subtree; a wildcard that could reach into it does not.
    fileprivate func isOutside(_ subtree: GeneralName) -> Bool {
        switch (self, subtree) {
        case (.dnsName(let name), .dnsName(let base)):
            !Self.name(name, liesBelow: base)
                && !(name.hasPrefix("*.") && Self.name(base, liesBelow: String(name.dropFirst(2))))
        case (.ipAddress(let address), .ipAddress(let range)):
            [4, 16].contains(address.bytes.count) && range.bytes.count == 2 * address.bytes.count
                && !Self.address(address.bytes, liesIn: range.bytes)
        default: false
        }
    }

    private static func name(_ name: String, liesBelow base: String) -> Bool {
        let (name, base) = (name.lowercased(), base.lowercased())
        return base.isEmpty || name == base || name.hasSuffix("." + base)
    }

    private static func address(_ address: ArraySlice<UInt8>, liesIn range: ArraySlice<UInt8>) -> Bool {
        guard range.count == 2 * address.count else { return false }
        return zip(address, zip(range.prefix(address.count), range.suffix(address.count)))
            .allSatisfy { byte, subnet in byte & subnet.1 == subnet.0 & subnet.1 }
    }
}
