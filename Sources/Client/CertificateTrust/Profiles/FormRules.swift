// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A set of form rules as bits, so that one operation finds the applicable rules that a certificate breaks.
struct FormRules: Hashable, Sendable {
    private(set) var bits: UInt64 = 0

    /// All rules.
    static let all = FormRules(TrustFailure.Rule.allCases)

    init(_ rules: some Sequence<TrustFailure.Rule> = []) {
        for rule in rules { insert(rule) }
    }

    /// The rules, in the order of their declaration.
    var rules: [TrustFailure.Rule] { isEmpty ? [] : TrustFailure.Rule.allCases.filter(contains) }

    var isEmpty: Bool { bits == 0 }

    func contains(_ rule: TrustFailure.Rule) -> Bool { bits & Self.bit(of: rule) != 0 }

    mutating func insert(_ rule: TrustFailure.Rule) { bits |= Self.bit(of: rule) }

    func union(_ other: Self) -> Self { Self(bits: bits | other.bits) }

    func intersection(_ other: Self) -> Self { Self(bits: bits & other.bits) }

    func subtracting(_ other: Self) -> Self { Self(bits: bits & ~other.bits) }

    init(bits: UInt64) { self.bits = bits }

    private static func bit(of rule: TrustFailure.Rule) -> UInt64 {
        let position: UInt64 =
            switch rule {
            case .serialNumber: 0
            case .authorityName: 1
            case .validityEncoding: 2
            case .authorityKeyIdentifier: 3
            case .subjectKeyIdentifier: 4
            case .authorityKeyUsage: 5
            case .criticalBasicConstraints: 6
            case .signingWithoutAuthority: 7
            case .criticalAlternativeNames: 8
            case .alternativeNameSyntax: 9
            case .constraintsWithoutAuthority: 10
            case .criticalNameConstraints: 11
            case .criticalPolicyConstraints: 12
            case .signatureAlgorithm: 13
            case .version: 14
            case .inheritedFeatures: 15
            case .serverIsAuthority: 16
            case .serverPurposes: 17
            case .rootPurposes: 18
            case .rootKeyIdentifier: 19
            case .commonName: 20
            case .uncriticalAlternativeNames: 21
            case .authorityInformation: 22
            case .wildcardOnPublicSuffix: 23
            case .keySize: 24
            case .canonicalEncoding: 25
            case .emptySequences: 26
            case .keyUsageEncoding: 27
            case .authorityBasicConstraints: 28
            case .pathLengthWithoutAuthority: 29
            case .nameConstraintSyntax: 30
            case .duplicatePolicies: 31
            case .uncriticalInformation: 32
            case .timeStampingPurposes: 33
            case .baselineAlgorithms: 34
            }
        return 1 << position
    }
}

extension FormRules: ExpressibleByArrayLiteral {
    init(arrayLiteral rules: TrustFailure.Rule...) { self.init(rules) }
}

/// The form rules that apply to a path.
package struct RuleSet: Hashable, Sendable {
    let rules: FormRules
    /// The subset of the rules that also applies to an anchor.
    let anchorRules: FormRules
    /// The subset of the rules that applies to a leaf that is itself an anchor.
    let leafAnchorRules: FormRules

    init(_ rules: FormRules, exemptAnchors: FormRules = []) {
        self.init(rules, anchorRules: rules.subtracting(exemptAnchors), leafAnchorRules: rules)
    }

    private init(_ rules: FormRules, anchorRules: FormRules, leafAnchorRules: FormRules) {
        self.rules = rules
        self.anchorRules = anchorRules
        self.leafAnchorRules = leafAnchorRules
    }

    /// Returns the rules without tolerated ones.
    func tolerating(_ tolerated: FormRules) -> Self {
        guard !tolerated.isEmpty else { return self }
        return Self(
            rules.subtracting(tolerated), anchorRules: anchorRules.subtracting(tolerated),
            leafAnchorRules: leafAnchorRules.subtracting(tolerated))
    }

    /// Returns the rules that apply to the certificate at a position of a path, leaf first, that ends in an anchor.
    func binding(at index: Int, of path: [ParsedCertificate]) -> FormRules {
        guard index == path.count - 1 else { return rules }
        return index > 0 ? anchorRules : leafAnchorRules
    }

    /// The rules of RFC 5280, without exceptions.
    package static let rfc5280 = RuleSet([
        .serialNumber, .validityEncoding, .authorityName, .authorityKeyIdentifier, .subjectKeyIdentifier,
        .authorityKeyUsage, .criticalBasicConstraints, .signingWithoutAuthority, .criticalAlternativeNames,
        .alternativeNameSyntax, .constraintsWithoutAuthority,
        .criticalNameConstraints, .criticalPolicyConstraints, .signatureAlgorithm, .version, .inheritedFeatures,
        .canonicalEncoding, .emptySequences, .keyUsageEncoding, .authorityBasicConstraints,
        .pathLengthWithoutAuthority, .nameConstraintSyntax, .duplicatePolicies, .uncriticalInformation,
    ])

    /// The rules of the Baseline Requirements, without exceptions; name constraints may be noncritical (section
    /// 7.1.2.5.2).
    package static let baselineRequirements = RuleSet(FormRules.all.subtracting([.criticalNameConstraints]))

    /// The Baseline Requirements with exceptions for older roots:
    /// of Debian 12's 139 anchors, 10 break one of these rules.
    static let webPKI = RuleSet(
        baselineRequirements.rules,
        exemptAnchors: [
            .rootKeyIdentifier, .criticalBasicConstraints, .subjectKeyIdentifier, .authorityKeyIdentifier,
            .authorityKeyUsage, .validityEncoding, .keyUsageEncoding, .canonicalEncoding,
        ])

    /// The rules whose violation is an error or an attack instead of a common deviation; the form of an anchor, which is
    /// trusted as a name and a key (RFC 5280 section 6.1.1 d), does not matter.
    package static let privatePKI = RuleSet(
        [.signatureAlgorithm, .version, .inheritedFeatures, .timeStampingPurposes], anchorRules: [.inheritedFeatures],
        leafAnchorRules: [.inheritedFeatures, .timeStampingPurposes])

    /// Returns the rules that apply to a purpose.
    func applying(to purpose: TrustPolicy.Purpose) -> RuleSet { tolerating(.inapplicable(to: purpose)) }
}

extension FormRules {
    /// Returns the rules that concern only certificates of another purpose.
    fileprivate static func inapplicable(to purpose: TrustPolicy.Purpose) -> FormRules {
        let ofServers: FormRules = [
            .serverIsAuthority, .serverPurposes, .commonName, .uncriticalAlternativeNames, .wildcardOnPublicSuffix,
        ]
        return switch purpose {
        case .server: [.timeStampingPurposes]
        case .timeStamping: ofServers
        case .client, .email, .codeSigning, .any: FormRules(ofServers.rules + [.timeStampingPurposes])
        }
    }
}

extension TrustPolicy.Profile {
    var rules: RuleSet {
        switch self {
        case .webPKI: .webPKI
        case .privatePKI: .privatePKI
        }
    }
}
