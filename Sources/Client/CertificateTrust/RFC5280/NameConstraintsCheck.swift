// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
    static func check(_ path: [ParsedCertificate], budget: inout Budget) throws(TrustFailure) {
        for (index, authority) in path.enumerated().dropFirst() {
            guard let constraints = try authority.require(authority.nameConstraints) else { continue }
            let subtrees = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
            try spend(subtrees, from: &budget)
            try checkForm(constraints, of: authority)
            for (position, certificate) in path[..<index].enumerated() {
                // A self-issued intermediate is exempt; a leaf is not (section 6.1.3 step b).
                if position > 0, certificate.isSelfIssued { continue }
                func check(_ names: [GeneralName]) throws(TrustFailure) {
                    try spend(names.count * subtrees, from: &budget)
                    for name in names {
                        guard let constraint = refusal(of: name, by: constraints) else { continue }
                        throw .nameConstraints(
                            certificate.summary, name: name.text, authority: authority.summary, constraint: constraint)
                    }
                }
                let names = try certificate.require(certificate.alternativeNames) ?? []
                try check(names)
                // Read last, because a hostile one may have thousands of attributes.
                try check(subjectNames(of: certificate, besides: names))
            }
        }
    }

    private static func spend(_ comparisons: Int, from budget: inout Budget) throws(TrustFailure) {
        guard budget.spend(comparisons) else { throw .budgetExhausted(signatureChecks: 0) }
    }

    /// The subject where there is one, and the e-mail addresses in it where no alternative name is one.
    private static func subjectNames(
        of certificate: ParsedCertificate, besides alternativeNames: [GeneralName]
    ) -> [GeneralName] {
        let subject = certificate.subjectName
        guard !subject.isEmpty else { return [] }
        var names = [GeneralName.directoryName(subject)]
        let hasMailbox = alternativeNames.contains { if case .rfc822Name = $0 { true } else { false } }
        guard !hasMailbox else { return names }
        for attribute in subject.joined() where attribute.type == .RDNAttributeType.emailAddress {
            names.append(.rfc822Name(String(attribute.value) ?? ""))
        }
        return names
    }

    /// A constraint that cannot be read constrains nothing, so it is an error rather than an absence.
    private static func checkForm(_ constraints: NameConstraints, of authority: ParsedCertificate) throws(TrustFailure)
    {
        let subtrees = constraints.permittedSubtrees + constraints.excludedSubtrees
        guard !subtrees.isEmpty, subtrees.allSatisfy(\.isWellFormedSubtree) else {
            throw .malformedExtension(authority.summary, "\(authority.nameConstraints.identifier)")
        }
    }

    /// What forbids the name, in words; `nil` where nothing does.
    private static func refusal(of name: GeneralName, by constraints: NameConstraints) -> String? {
        guard name.isWellFormedName else { return "unreadable name" }
        if let excluded = constraints.excludedSubtrees.first(where: { name.isSameKind(as: $0) && !name.isOutside($0) })
        {
            return "excluded: \(excluded.text)"
        }
        let permitted = constraints.permittedSubtrees.filter { name.isSameKind(as: $0) }
        guard !permitted.isEmpty, !permitted.contains(where: { name.isInside($0) }) else { return nil }
        return "permitted: " + permitted.prefix(5).map(\.text).joined(separator: ", ")
    }
}
