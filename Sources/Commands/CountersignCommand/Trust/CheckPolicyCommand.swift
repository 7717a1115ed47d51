// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import CommandSupport
import ErrorExplanations
import PolicyFiles

/// `countersign trust check-policy`.
struct CheckPolicyCommand: ConsoleCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// `FILE:LINE:COLUMN: error: MESSAGE`, as compilers print it.
        case editor
    }

    static let configuration = CommandConfiguration(
        commandName: "check-policy",
        abstract: "Check a policy file, and show the policy of each domain.",
        discussion: """
            No connection is made. All errors, at most 100, are named by file, line, column and key, and exit with 1; \
            warnings go to standard error and do not. With --format editor both are printed on standard output as \
            FILE:LINE:COLUMN: MESSAGE, one line each, and the policies are not.

            Example: countersign trust check-policy policy.yaml && countersign get URL --policy policy.yaml
            """)

    @Argument(help: "The policy file.")
    var file: String

    @Flag(help: "Print the policies and the warnings as JSON.")
    var json = false

    @Option(help: "Print errors and warnings only, in the format that editors read.")
    var format: Format?

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        guard format == nil else { return try printProblems(on: console) }
        let file = try PolicyInput.read(file)
        let rows = PolicyRow.rows(of: file.policies)
        if json {
            try console.print(json: PolicyReport(domains: rows, warnings: file.warnings.map(WarningReport.init)))
        } else {
            try TextTable(cells: PolicyRow.table(of: rows)).lines(within: console.outputWidth ?? .max)
                .forEach(console.print)
            file.warnings.forEach { console.printError($0.description) }
        }
        return .done
    }

    private func printProblems(on console: Console) throws -> CommandStatus {
        guard !json else { throw UsageError.contradiction("--format", "--json") }
        do {
            for warning in try PolicyInput.read(file).warnings { try console.print(warning.editorLine) }
            return .done
        } catch let error as PolicyFileError {
            let failure = Failure(error)
            for one in [failure] + failure.others {
                let place = one.place.map { "\($0): " } ?? ""
                try console.print("\(place)error: \(one.message) \(one.advice(console.errorOptions))".printable)
            }
            return failure.status
        }
    }
}

extension PolicyFileWarning {
    fileprivate var editorLine: String { "\(place): warning: \(place.key): \(message) \(advice)".printable }
}

/// The JSON output of `trust check-policy --json`.
struct PolicyReport: Encodable {
    let domains: [PolicyRow]
    let warnings: [WarningReport]
}

struct WarningReport: Encodable {
    let message: String
    let place: PlaceReport

    init(_ warning: PolicyFileWarning) {
        message = warning.message + " " + warning.advice
        place = PlaceReport(warning.place)
    }
}

/// The policy of a domain, in the terms of the policy file.
struct PolicyRow: Encodable {
    /// The columns that a table omits if every row has this value.
    private static let rare = [
        "purpose": "server", "weaknesses": "none", "tolerated": "none", "revocation scope": "path",
        "certificate policies": "any", "transparency": "none", "TLS library": "boringssl", "legacy TLS": "forbidden",
        "OpenSSL's configuration": "ignored",
    ]
    private static let titles = [
        "domain", "subdomains", "anchors", "purpose", "profile", "pins", "certificate policies", "weaknesses",
        "tolerated", "revocation", "revocation scope", "transparency",
        "missing issuers", "local evidence", "validation", "TLS", "TLS library", "legacy TLS",
        "OpenSSL's configuration", "plain http", "methods",
    ]

    /// The domain, or `default` for every domain that is not named.
    let domain: String
    let subdomains: Bool
    let anchors: String
    /// The SHA-256 fingerprints of the anchors that the file names.
    let anchorFingerprints: [String]
    let purpose: String
    let profile: String
    let pins: PinSet
    let certificatePolicies: CertificatePolicyInputs
    /// The accepted weaknesses, in alphabetical order.
    let acceptedWeaknesses: [String]
    /// The tolerated rules, in alphabetical order.
    let toleratedRules: [String]
    let revocation: String
    let revocationScope: String
    /// The Certificate Transparency rule.
    let transparency: String
    let missingIssuers: String
    let localEvidence: String
    let validation: String
    let minimumTLS: String
    let tlsLibrary: String
    let legacyTLS: String
    let openSSLConfiguration: String
    let plainHTTP: String
    let methods: String

    static func rows(of policies: DomainPolicies) -> [PolicyRow] {
        policies.entries.map {
            PolicyRow($0.domain.description, subdomains: $0.includesSubdomains, $0.policy)
        } + [PolicyRow("default", subdomains: true, policies.fallback)]
    }

    /// Returns the cells of a table, with its titles.
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
        purpose = policy.trust.purpose.word
        profile = policy.trust.profile?.word ?? "automatic"
        pins = policy.trust.pins
        certificatePolicies = policy.trust.certificatePolicies
        acceptedWeaknesses = policy.trust.acceptedWeaknesses.map(\.rawValue).sorted()
        toleratedRules = policy.trust.toleratedRules.map(\.rawValue).sorted()
        revocation = policy.trust.revocation.word
        revocationScope = policy.trust.revocationScope.rawValue
        transparency = policy.trust.transparency?.rule.name ?? "none"
        missingIssuers = policy.trust.missingIssuers.word
        localEvidence = policy.trust.localEvidence == .allowed ? "allowed" : "beside-server"
        validation = policy.trust.validation.word
        minimumTLS = policy.minimumTLSVersion.rawValue
        tlsLibrary = policy.tlsLibrary.rawValue
        legacyTLS = policy.allowsLegacyTLS ? "allowed" : "forbidden"
        openSSLConfiguration = policy.usesOpenSSLConfiguration ? "used" : "ignored"
        methods = policy.methods.description
        plainHTTP = policy.allowsPlainHTTP ? "allowed" : "forbidden"
    }

    private var cells: [String] {
        [
            domain, subdomains ? "yes" : "no", anchors, purpose, profile, pins.text, certificatePolicies.text,
            acceptedWeaknesses.listed, toleratedRules.listed, revocation, revocationScope, transparency, missingIssuers,
            localEvidence, validation, minimumTLS, tlsLibrary,
            legacyTLS, openSSLConfiguration, plainHTTP, methods,
        ]
    }
}

extension [String] {
    fileprivate var listed: String { isEmpty ? "none" : joined(separator: ", ") }
}

extension PinSet {
    fileprivate var text: String {
        guard !isEmpty else { return "none" }
        var parts = ["\(pins.count)" + (backups.isEmpty ? "" : " and \(backups.count) in reserve")]
        // The last day is the one before the instant of expiry.
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
        var parts = [isRequired ? policies : "\(policies), if required"]
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

extension TrustPolicy.Purpose {
    fileprivate var word: String { PurposeOption.allCases.first { $0.purpose == self }?.rawValue ?? rawValue }
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

/// `countersign trust policy-schema`.
struct PolicySchemaCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy-schema",
        abstract: "Print the JSON Schema of policy files, for editors.",
        discussion: """
            A line '# yaml-language-server: $schema=trust-policy.json' in a policy file names it to editors that use \
            yaml-language-server.

            Example: countersign trust policy-schema > trust-policy.json
            """)

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try console.print(json: PolicySchema())
        return .done
    }
}
