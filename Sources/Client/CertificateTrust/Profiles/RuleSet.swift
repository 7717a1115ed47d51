// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which rules on form bind.
package struct RuleSet: Hashable, Sendable {
    let rules: FormRules
    /// Those of them that bind an anchor too.
    let anchorRules: FormRules

    init(_ rules: FormRules, exemptAnchors: FormRules = []) {
        self.rules = rules
        anchorRules = rules.subtracting(exemptAnchors)
    }

    /// RFC 5280, to the letter.
    package static let rfc5280 = RuleSet([
        .serialNumber, .validityEncoding, .authorityName, .authorityKeyIdentifier, .subjectKeyIdentifier,
        .authorityKeyUsage, .criticalBasicConstraints, .signingWithoutAuthority, .criticalAlternativeNames,
        .alternativeNameSyntax, .constraintsWithoutAuthority,
        .criticalNameConstraints, .criticalPolicyConstraints, .signatureAlgorithm, .version, .inheritedFeatures,
    ])

    /// The Baseline Requirements to the letter, which let name constraints be uncritical (section 7.1.2.5.2).
    package static let baselineRequirements = RuleSet(FormRules.all.subtracting([.criticalNameConstraints]))

    /// The Baseline Requirements, but for roots older than them: of Debian 12's 139 anchors, 8 break one of these rules.
    static let webPKI = RuleSet(
        baselineRequirements.rules,
        exemptAnchors: [
            .rootKeyIdentifier, .criticalBasicConstraints, .subjectKeyIdentifier, .authorityKeyIdentifier,
            .authorityKeyUsage, .validityEncoding,
        ])

    /// What is an error or an attack rather than a habit.
    package static let privatePKI = RuleSet([
        .signatureAlgorithm, .version, .constraintsWithoutAuthority, .inheritedFeatures,
    ])
}

extension TrustPolicy.Profile {
    var rules: RuleSet {
        switch self {
        case .webPKI: .webPKI
        case .privatePKI: .privatePKI
        }
    }
}
