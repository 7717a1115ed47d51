// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
public import CertificateTrust
package import CommandSupport
import Countersign
import EssentialFoundation
import Identities
package import KeychainService
import NIOConcurrencyHelpers
package import PolicyFiles

/// The options for the evaluation of a server's certificate chain.
package struct TrustOptions: ParsableArguments {
    package enum Mode: String, ExpressibleByArgument, CaseIterable {
        case `default`
        case imported
        case firstUse = "first-use"
        case anchorsOnly = "anchors-only"
        case disabled
    }

    @Option(
        help: ArgumentHelp(
            "The anchors to trust.",
            discussion: """
                default: the system's and those of --anchor. imported: also those of 'countersign trust import'. \
                first-use: as default, and for a server without a trusted anchor, the key that was seen first. anchors-only: those of --anchor alone. disabled: any certificate for any host is accepted. Without it, \
                default.
                """))
    package var trust: Mode?

    @Option(
        help: ArgumentHelp(
            "A file or folder of certificates to trust, PEM, DER or PKCS#7; '-' is standard input; repeatable.",
            valueName: "file"))
    package var anchor: [String] = []

    @Option(help: "A public key that the chain must contain, sha256/BASE64; repeatable.")
    package var pin: [String] = []

    @Option(
        help: ArgumentHelp(
            "The rules for the form of certificates.",
            discussion: "By default, web-pki for the system's anchors, and private-pki for all others."))
    package var profile: ProfileOption?

    @Option(
        help: ArgumentHelp(
            "The purpose that the chain must be valid for.",
            discussion: "Without it, server. any: extended key usages are not checked."))
    package var purpose: PurposeOption?

    @Option(
        help: ArgumentHelp(
            "Accept a weak algorithm; repeatable.",
            discussion: "An attacker with sufficient means can forge such certificates.", valueName: "weakness"))
    package var acceptWeak: [TrustPolicy.Weakness] = []

    @Option(
        help: ArgumentHelp(
            "Tolerate certificates that break a rule for their form, such as serial-number; repeatable.",
            discussion: "The error trust.nonconforming names the rule, and the report lists each tolerated violation.",
            valueName: "rule"))
    package var tolerate: [TrustFailure.Rule] = []

    @OptionGroup
    package var revocationOption: RevocationOption

    @OptionGroup
    package var evidence: EvidenceOptions

    @OptionGroup
    package var transparencyOption: TransparencyOption

    @Flag(
        help:
            "Fetch missing issuers from the URLs that the certificates name; the servers there learn of the connection."
    )
    package var fetchIssuers = false

    @Flag(
        help: ArgumentHelp(
            "Fetch revocation lists, OCSP responses and issuers from private, loopback and link-local addresses too.",
            discussion: """
                By default only if the server itself has such an address: certificates name the URLs, and could make this \
                machine send requests into its own network.
                """))
    package var allowLocalEvidence = false

    @Option(
        help: ArgumentHelp(
            "A policy file with the trust requirements of each server.",
            discussion: """
                It replaces the other options about trust, except for --crl and --ocsp. 'countersign trust check-policy' explains it.
                """))
    package var policy: String?

    @OptionGroup
    package var tlsLibraryOptions: TLSLibraryOptions

    @OptionGroup
    package var keychain: KeychainOption

    package init() {}

    private var mode: Mode { trust ?? .default }

    /// The given options that read standard input.
    package var readersOfStandardInput: [String] {
        anchor.filter { $0 == "-" }.map { _ in "--anchor" } + evidence.readersOfStandardInput
            + (policy == "-" ? ["--policy"] : [])
    }

    /// Returns the paths of the files that the options and the environment variables name, and of those that a policy file
    /// names, for the protection of inputs.
    ///
    /// - Parameter console: The console with the environment.
    /// - Returns: The paths; `-` for standard input.
    /// - Throws: `FileError`, `PolicyFileError`.
    package func inputPaths(_ console: Console) throws -> [String] {
        let files = [transparencyOption.logList, policy, keychain.keychainFile].compactMap(\.self)
        let variables = SystemAnchors.paths(in: console.anchorEnvironment)
        return try variables + anchor.flatMap(EvidenceFiles.files) + evidence.paths() + files
            + (policy.map { $0 == "-" ? [] : try PolicyInput.paths(in: $0) } ?? [])
    }

    /// Returns the policies for all servers, and prints a warning if validation is disabled.
    ///
    /// - Parameters:
    ///   - host: The server; `nil` checks the policy of all other hosts.
    ///   - isVerbose: Whether the warnings of a policy file are printed.
    ///   - keychain: The keychain whose trust settings are used too.
    ///   - console: The console that prints warnings.
    /// - Returns: The policies of the options and of the keychain.
    /// - Throws: ``UsageError``, `FileError`, `PolicyFileError`, ``KeychainClientError``.
    package func policies(
        for host: HostName?, isVerbose: Bool, keychain: KeychainClient?, on console: Console
    ) async throws -> DomainPolicies {
        var policies = try policies(isVerbose: isVerbose, on: console)
        if let keychain { policies = try await keychain.trustSettings.policies(policies) }
        let policy = host.map(policies.policy) ?? policies.fallback
        if isVerbose, policy.trust.usesSystemAnchors,
            let variables = SystemAnchors.variables(in: console.anchorEnvironment)
        {
            console.printError("anchors: \(variables)")
        }
        if policy.trust.validation == .dangerouslyDisabled {
            console.printError(
                "countersign: warning: validation is disabled; anyone on the network path can read and change everything."
            )
        }
        return policies
    }

    private func policies(isVerbose: Bool, on console: Console) throws -> DomainPolicies {
        guard let policy else {
            var policy = ServerPolicy(trust: try trustPolicy(console))
            try tlsLibraryOptions.apply(to: &policy)
            return DomainPolicies(fallback: policy)
        }
        guard trust == nil, anchor.isEmpty, pin.isEmpty, profile == nil, purpose == nil, acceptWeak.isEmpty,
            tolerate.isEmpty, !revocationOption.isGiven, !fetchIssuers, !allowLocalEvidence,
            !transparencyOption.isGiven, !tlsLibraryOptions.isGiven
        else {
            throw UsageError.policyBesideTrustOptions
        }
        let file = try PolicyInput.read(policy)
        if isVerbose { file.warnings.forEach { console.printError($0.description) } }
        return file.policies
    }

    private func trustPolicy(_ console: Console) throws -> TrustPolicy {
        let given = try AnchorFiles.anchors(anchor, on: console)
        var policy = TrustPolicy(anchors: try anchors(given, console), pins: PinSet(Set(try pin.map { try Pin($0) })))
        policy.profile = profile?.policy
        policy.purpose = purpose?.purpose ?? policy.purpose
        (policy.acceptedWeaknesses, policy.toleratedRules) = (Set(acceptWeak), Set(tolerate))
        policy.revocation = revocationOption.revocation?.policy ?? policy.revocation
        policy.revocationScope = revocationOption.revocationScope ?? policy.revocationScope
        policy.transparency = try transparencyOption.transparency()
        if fetchIssuers { policy.missingIssuers = .fetched }
        if allowLocalEvidence { policy.localEvidence = .allowed }
        if mode == .disabled { policy.validation = .dangerouslyDisabled }
        if mode == .firstUse { policy.validation = .firstUse }
        return policy
    }

    private func anchors(_ given: [CertificateSummary], _ console: Console) throws -> TrustPolicy.Anchors {
        switch mode {
        case .default, .firstUse:
            return given.isEmpty ? .system : .systemAnd(given)
        case .imported:
            let imported = try AnchorFolder(environment: console.environment).certificates()
            return .systemAnd(given + imported.map { CertificateSummary($0) })
        case .anchorsOnly:
            guard !given.isEmpty else { throw UsageError.anchorsOnlyWithoutAnchor }
            return .only(given)
        case .disabled:
            return .only(given)
        }
    }
}

extension TrustPolicy {
    /// Whether the policy uses the system's anchors.
    package var usesSystemAnchors: Bool {
        if case .only = anchors { false } else { validation != .dangerouslyDisabled }
    }
}

/// The revocation options.
package struct RevocationOption: ParsableArguments {
    package enum Mode: String, ExpressibleByArgument, CaseIterable {
        case whereDemanded = "where-demanded"
        case softFail = "soft-fail"
        case hardFail = "hard-fail"

        package var policy: TrustPolicy.Revocation {
            switch self {
            case .whereDemanded: .whereDemanded
            case .softFail: .softFail
            case .hardFail: .hardFail
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "The check for revoked certificates.",
            discussion: """
                where-demanded: checked if a certificate demands it. soft-fail: checked; a missing answer is only reported. \
                hard-fail: no answer means not trusted. Without it, where-demanded.
                """))
    package var revocation: Mode?

    @Option(
        help: ArgumentHelp(
            "The certificates whose revocation is checked: path, all below the anchor, or leaf, the first alone.",
            discussion: "Without it, path.", valueName: "scope"))
    package var revocationScope: TrustPolicy.RevocationScope?

    package init() {}

    /// Whether one of the options was given.
    package var isGiven: Bool { revocation != nil || revocationScope != nil }
}

/// The value of `--profile`.
package enum ProfileOption: String, ExpressibleByArgument, CaseIterable {
    case webPKI = "web-pki"
    case privatePKI = "private-pki"

    package var policy: TrustPolicy.Profile {
        switch self {
        case .webPKI: .webPKI
        case .privatePKI: .privatePKI
        }
    }
}

/// The value of `--purpose`.
package enum PurposeOption: String, ExpressibleByArgument, CaseIterable {
    case server
    case client
    case email
    case codeSigning = "code-signing"
    case timeStamping = "time-stamping"
    case any

    package var purpose: TrustPolicy.Purpose {
        switch self {
        case .server: .server
        case .client: .client
        case .email: .email
        case .codeSigning: .codeSigning
        case .timeStamping: .timeStamping
        case .any: .any
        }
    }
}

extension TrustPolicy.RevocationScope: ExpressibleByArgument {}
extension TrustPolicy.Weakness: ExpressibleByArgument {}
extension TrustFailure.Rule: ExpressibleByArgument {}

extension ServerPolicy.TLSLibrary: ExpressibleByArgument {}

/// The options for the TLS library.
package struct TLSLibraryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The TLS library: boringssl, openssl or automatic.",
            discussion: """
                openssl: the system's OpenSSL, for servers that BoringSSL cannot use, and for post-handshake authentication; it needs a \
                build with the trait OpenSSL. automatic: boringssl, and openssl if a handshake fails that may need it. Without it, boringssl.
                """))
    package var tlsLibrary: ServerPolicy.TLSLibrary?

    @Flag(
        help: ArgumentHelp(
            "Accept TLS 1.0 and 1.1, and weak algorithms, with OpenSSL.",
            discussion: """
                Anyone on the path may be able to read and change such a connection. With --tls-max 1.2, only TLS 1.2 is offered, \
                and the weak algorithms. OpenSSL then also accepts servers without secure renegotiation, as BoringSSL does.
                """))
    package var allowLegacyTLS = false

    @Flag(
        name: .customLong("openssl-configuration"),
        help: "Let the configuration file of OpenSSL decide on suites and groups, and exclude versions, with OpenSSL.")
    package var usesOpenSSLConfiguration = false

    package init() {}

    /// Whether one of the options was given.
    var isGiven: Bool { tlsLibrary != nil || allowLegacyTLS || usesOpenSSLConfiguration }

    /// Applies the options to a policy.
    ///
    /// - Throws: ``UsageError``.
    func apply(to policy: inout ServerPolicy) throws(UsageError) {
        if let tlsLibrary, tlsLibrary != .openSSL, allowLegacyTLS || usesOpenSSLConfiguration {
            throw .contradiction(
                "--tls-library \(tlsLibrary.rawValue)",
                allowLegacyTLS ? "--allow-legacy-tls" : "--openssl-configuration")
        }
        policy.tlsLibrary = tlsLibrary ?? .boringSSL
        (policy.allowsLegacyTLS, policy.usesOpenSSLConfiguration) = (allowLegacyTLS, usesOpenSSLConfiguration)
    }
}

/// The Certificate Transparency options.
package struct TransparencyOption: ParsableArguments {
    package enum Rule: String, ExpressibleByArgument, CaseIterable {
        case chrome
        case apple

        fileprivate var rule: CertificateTransparencyRule {
            switch self {
            case .chrome: .chrome
            case .apple: .apple
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Require Certificate Transparency by the logs of this file: Google's log_list.json (version 3), or Apple's.",
            valueName: "file"))
    package var logList: String?

    @Option(help: "The policy for the number of logs: chrome or apple; chrome by default.")
    package var transparencyRule: Rule?

    package init() {}

    /// Whether one of the options was given.
    package var isGiven: Bool { logList != nil || transparencyRule != nil }

    /// Returns the Certificate Transparency requirement, or `nil` if there is none.
    ///
    /// - Throws: ``UsageError``, `FileError`, `TransparencyLogListError`.
    package func transparency() throws -> CertificateTransparency? {
        guard let logList else {
            guard transparencyRule == nil else {
                throw UsageError.useless("--transparency-rule", without: "--log-list")
            }
            return nil
        }
        let logs = try InputFile.naming(logList) { try TransparencyLogList(json: InputFile.read(logList)) }
        return CertificateTransparency(logs: logs, rule: (transparencyRule ?? .chrome).rule)
    }
}

/// Reads policy files that the user named, and the files that these refer to.
package enum PolicyInput {
    /// Reads a policy file; the paths in it are relative to its folder.
    ///
    /// - Parameter path: The path; `-` for standard input.
    /// - Returns: The contents of the file.
    /// - Throws: `FileError`, `PolicyFileError`.
    package static func read(_ path: String) throws -> PolicyFile { try read(path) { try InputFile.read($0) } }

    /// Returns the paths of the files that a policy file names.
    static func paths(in path: String) throws -> [String] {
        let paths = NIOLockedValueBox<[String]>([])
        _ = try read(path) { file in
            paths.withLockedValue { $0.append(file) }
            return try InputFile.read(file)
        }
        return paths.withLockedValue { $0 }
    }

    private static func read(_ path: String, reading file: @escaping (String) throws -> [UInt8]) throws -> PolicyFile {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let read = { name in try file(name.hasPrefix("/") ? name : folder + name) }
        return try PolicyFile(
            try InputFile.readArgument(path), name: InputFile.name(ofArgument: path), at: Date(),
            hostNames: { text throws(HostNameError) in try HostName(international: text) },
            logLists: { try TransparencyLogList(json: read($0)) },
            anchorContents: { path in
                let contents = try CertificateFile.anchorContents(of: read(path))
                return (contents.certificates, contents.unread)
            })
    }
}

/// The options that enable the keychain.
package struct KeychainOption: ParsableArguments {
    @Flag(
        name: .customLong("keychain"),
        help: ArgumentHelp(
            "Use anchors, pins, distrusted certificates, logins and identities from the keychain.",
            discussion: """
                A login is sent to its own server or proxy only. One that the server rejects is not offered again until it is \
                changed. 'countersign keychain' manages the keychain.
                """))
    package var usesKeychain = false

    @Option(help: ArgumentHelp("Use the keychain in this file.", valueName: "file"))
    package var keychainFile: String?

    package init() {}

    /// Returns a new client, which starts a process on first use, or `nil` if the keychain is not enabled.
    package func makeClient() -> KeychainClient? {
        usesKeychain || keychainFile != nil ? KeychainClient(path: keychainFile) : nil
    }
}
