// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// Which names an authority may issue for (RFC 5280 section 4.2.1.10).
///
/// Kinds of names that are not compared here fail closed: a constraint on one forbids every name of it.
enum NameConstraintsCheck {
    /// How many comparisons of a name with a subtree a search may make: some hundred names under some hundred constraints.
    struct Budget {
        private var left = 32_768
        private(set) var isExhausted = false

        mutating func spend(_ count: Int) -> Bool {
            isExhausted = isExhausted || count > left
            left -= min(count, left)
            return !isExhausted
        }
    }

    // The path is leaf first, anchor last.
    static func check(_ path: [Certificate], budget: inout Budget) throws(TrustFailure) {
        for (index, authority) in path.enumerated().dropFirst() {
            let constraints = try authority.read(.X509ExtensionID.nameConstraints) { try $0.nameConstraints }
            guard let constraints else { continue }
            let subtrees = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
            try spend(subtrees, from: &budget)
            try checkForm(constraints, of: authority)
            for (position, certificate) in path[..<index].enumerated() {
                // A self-issued intermediate is exempt; a leaf is not (section 6.1.3 step b).
                if position > 0, certificate.subject == certificate.issuer { continue }
                let names = try names(of: certificate)
                try spend(names.count * subtrees, from: &budget)
                guard names.allSatisfy({ $0.isWellFormedName && isAllowed($0, by: constraints) }) else {
                    throw .nameConstraints(CertificateSummary(certificate), authority: CertificateSummary(authority))
                }
            }
        }
    }

    private static func spend(_ comparisons: Int, from budget: inout Budget) throws(TrustFailure) {
        guard budget.spend(comparisons) else { throw .budgetExhausted(signatureChecks: 0) }
    }

    /// The alternative names, the subject where there is one, and the e-mail addresses in it where no alternative name is one.
    private static func names(of certificate: Certificate) throws(TrustFailure) -> [GeneralName] {
        let read = try certificate.read(.X509ExtensionID.subjectAlternativeName) { try $0.subjectAlternativeNames }
        var names = Array(read ?? .init([]))
        if !certificate.subject.isEmpty { names.append(.directoryName(certificate.subject)) }
        let hasMailbox = names.contains { if case .rfc822Name = $0 { true } else { false } }
        guard !hasMailbox else { return names }
        for attribute in certificate.subject.joined() where attribute.type == .RDNAttributeType.emailAddress {
            names.append(.rfc822Name(String(attribute.value) ?? ""))
        }
        return names
    }

    /// A constraint that cannot be read constrains nothing, so it is an error rather than an absence.
    private static func checkForm(_ constraints: NameConstraints, of authority: Certificate) throws(TrustFailure) {
        let subtrees = constraints.permittedSubtrees + constraints.excludedSubtrees
        guard !subtrees.isEmpty, subtrees.allSatisfy(\.isWellFormedSubtree) else {
            throw .malformedExtension(
                CertificateSummary(authority), "\(ASN1ObjectIdentifier.X509ExtensionID.nameConstraints)")
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
