// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport

/// What one domain gets, in the words of the policy file.
struct PolicyRow: Encodable {
    /// Columns that are left out of a table where each row has the value beside them.
    private static let rare = ["certificate policies": "any", "transparency": "none"]
    private static let titles = [
        "domain", "subdomains", "anchors", "profile", "pins", "certificate policies", "revocation", "transparency",
        "missing issuers", "local evidence", "validation", "TLS", "plain http", "methods",
    ]

    /// `default` for every domain that is not named.
    let domain: String
    let subdomains: Bool
    let anchors: String
    /// Those that the file names, by their SHA-256 fingerprints.
    let anchorFingerprints: [String]
    let profile: String
    let pins: PinSet
    let certificatePolicies: CertificatePolicyInputs
    let revocation: String
    /// The rule of Certificate Transparency.
    let transparency: String
    let missingIssuers: String
    let localEvidence: String
    let validation: String
    let minimumTLS: String
    let plainHTTP: String
    let methods: String

    static func rows(of policies: DomainPolicies) -> [PolicyRow] {
        policies.entries.map {
            PolicyRow($0.domain.description, subdomains: $0.includesSubdomains, $0.policy)
        } + [PolicyRow("default", subdomains: true, policies.fallback)]
    }

    /// The cells of a table, with its titles.
    static func table(of rows: [PolicyRow]) -> [[String]] {
        let cells = rows.map(\.cells)
        let shown = titles.indices.filter { column in
            !cells.allSatisfy { $0[column] == rare[titles[column]] }
        }
        return ([titles] + cells).map { row in shown.map { row[$0] } }
    }

    private init(_ domain: String, subdomains: Bool, _ policy: ServerPolicy) {
        self.domain = domain
        self.subdomains = subdomains
        let given: [CertificateSummary]
        switch policy.trust.anchors {
        case .system: (anchors, given) = ("system", [])
        case .systemAnd(let certificates): (anchors, given) = ("add \(certificates.count)", certificates)
        case .only(let certificates): (anchors, given) = ("only \(certificates.count)", certificates)
        }
        anchorFingerprints = given.map(\.fingerprint)
        profile = policy.trust.profile?.word ?? "automatic"
        pins = policy.trust.pins
        certificatePolicies = policy.trust.certificatePolicies
        revocation = policy.trust.revocation.word
        transparency = policy.trust.transparency?.rule.name ?? "none"
        missingIssuers = policy.trust.missingIssuers.word
        localEvidence = policy.trust.localEvidence == .allowed ? "allowed" : "beside-server"
        validation = policy.trust.validation.word
        minimumTLS = policy.minimumTLSVersion.rawValue
        methods = policy.methods.description
        plainHTTP = policy.allowsPlainHTTP ? "allowed" : "forbidden"
    }

    private var cells: [String] {
        [
            domain, subdomains ? "yes" : "no", anchors, profile, pins.text, certificatePolicies.text, revocation,
            transparency, missingIssuers, localEvidence, validation, minimumTLS, plainHTTP, methods,
        ]
    }
}

extension PinSet {
    fileprivate var text: String {
        guard !isEmpty else { return "none" }
        var parts = ["\(pins.count)" + (backups.isEmpty ? "" : " and \(backups.count) in reserve")]
        // The last day is the one before the instant at which they end.
        if let expiry { parts.append("until \(CertificateText.lastDay(before: expiry))") }
        if enforcement == .reportOnly { parts.append("report-only") }
        return parts.joined(separator: ", ")
    }
}

extension CertificatePolicyInputs {
    fileprivate var text: String {
        guard self != CertificatePolicyInputs() else { return "any" }
        let policies =
            acceptable.map { $0.map { $0.name ?? $0.description }.sorted().joined(separator: " or ") } ?? "any"
        var parts = [isRequired ? policies : "\(policies), where required"]
        if !allowsMapping { parts.append("no mapping") }
        if !allowsAnyPolicy { parts.append("without anyPolicy") }
        return parts.joined(separator: ", ")
    }
}

extension TrustPolicy.Profile {
    fileprivate var word: String {
        switch self {
        case .webPKI: "web-pki"
        case .privatePKI: "private-pki"
        }
    }
}

extension TrustPolicy.Revocation {
    fileprivate var word: String {
        switch self {
        case .whereDemanded: "where-demanded"
        case .softFail: "soft-fail"
        case .hardFail: "hard-fail"
        }
    }
}

extension TrustPolicy.MissingIssuers {
    fileprivate var word: String {
        switch self {
        case .notFetched: "not-fetched"
        case .fetched: "fetched"
        }
    }
}

extension TrustPolicy.Validation {
    fileprivate var word: String {
        switch self {
        case .full: "full"
        case .firstUse: "first-use"
        case .dangerouslyDisabled: "dangerously-disabled"
        }
    }
}
