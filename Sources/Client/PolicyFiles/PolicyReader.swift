// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import EssentialFoundation

/// Makes policies from a document, and collects warnings.
struct PolicyReader {
    /// Reads an anchor file.
    typealias AnchorReading = (String) throws -> (certificates: [CertificateSummary], unread: [UnreadCertificate])

    static let serverKeys = ServerKey.allCases.map(\.rawValue)

    let time: Date
    let anchorFile: AnchorReading
    let logList: ((String) throws -> TransparencyLogList)?
    private(set) var warnings: [PolicyFileWarning] = []

    /// The log lists by their path, so that several entries with the same path share one list.
    var logLists: [String: TransparencyLogList] = [:]

    init(
        time: Date, anchorFile: @escaping AnchorReading,
        logList: ((String) throws -> TransparencyLogList)?
    ) {
        self.time = time
        self.anchorFile = anchorFile
        self.logList = logList
    }

    mutating func policies(_ root: PolicyNode) throws(PolicyFileError) -> DomainPolicies {
        let document = try PolicyMapping(root, keys: ["version", "default", "domains"])
        try document.require("version").choice(PolicyValues.version)
        var policies = DomainPolicies()
        if let node = document["default"] {
            policies.fallback = try serverPolicy(PolicyMapping(node, keys: Self.serverKeys), over: policies.fallback)
        }
        if let node = document["domains"] {
            try readDomains(node, into: &policies)
        }
        return policies
    }

    /// Reads a server policy from a mapping; absent keys have the values of the base.
    mutating func serverPolicy(
        _ mapping: PolicyMapping, over base: ServerPolicy
    ) throws(PolicyFileError) -> ServerPolicy {
        var policy = base
        for key in ServerKey.allCases {
            guard let node = mapping[key.rawValue] else { continue }
            switch key {
            case .anchors: policy.trust.anchors = try anchors(node)
            case .profile: policy.trust.profile = try node.choice(PolicyValues.profile)
            case .pins: policy.trust.pins = try pins(node)
            case .certificatePolicies: policy.trust.certificatePolicies = try certificatePolicies(node)
            case .revocation: policy.trust.revocation = try node.choice(PolicyValues.revocation)
            case .transparency: policy.trust.transparency = try transparency(node)
            case .missingIssuers: policy.trust.missingIssuers = try node.choice(PolicyValues.missingIssuers)
            case .localEvidence: policy.trust.localEvidence = try node.choice(PolicyValues.localEvidence)
            case .validation: policy.trust.validation = try validation(node)
            case .minimumTLS: policy.minimumTLSVersion = try node.choice(PolicyValues.minimumTLS)
            case .tlsLibrary: policy.tlsLibrary = try node.choice(PolicyValues.tlsLibrary)
            case .legacyTLS: policy.allowsLegacyTLS = try node.choice(PolicyValues.legacyTLS)
            case .openSSLConfiguration:
                policy.usesOpenSSLConfiguration = try node.choice(PolicyValues.openSSLConfiguration)
            case .plainHTTP: policy.allowsPlainHTTP = try node.choice(PolicyValues.plainHTTP)
            case .methods: policy.methods = try methods(node)
            }
        }
        // A warning about two inherited values was given at the entry that contains them.
        let hasEitherKey = mapping["pins"] != nil || mapping["plain-http"] != nil
        if hasEitherKey, policy.allowsPlainHTTP, !policy.trust.pins.isEmpty {
            let key = mapping["plain-http"] == nil ? "pins" : "plain-http"
            warn(.plainHTTPBesidePins, at: mapping.place(of: key))
        }
        return policy
    }

    /// Reads `all`, or a list of names.
    private func methods(_ node: PolicyNode) throws(PolicyFileError) -> AllowedMethods {
        if node.isText { return try node.choice(PolicyValues.allMethods) }
        var methods: Set<AuthenticationMethod> = []
        for element in try node.list() { methods.insert(try element.choice(PolicyValues.methods)) }
        return .only(methods)
    }

    private mutating func validation(_ node: PolicyNode) throws(PolicyFileError) -> TrustPolicy.Validation {
        let validation = try node.choice(PolicyValues.validation)
        if validation == .dangerouslyDisabled { warn(.validationDisabled, at: node.place) }
        return validation
    }

    mutating func warn(_ reason: PolicyFileWarning.Reason, at place: PolicyFileLocation) {
        warnings.append(PolicyFileWarning(place: place, reason: reason))
    }
}

extension PolicyReader {
    mutating func readDomains(
        _ node: PolicyNode, into policies: inout DomainPolicies
    ) throws(PolicyFileError) {
        var places: [HostName: PolicyFileLocation] = [:]
        for entry in try node.entries() {
            let domain = try domain(entry)
            guard places.updateValue(entry.name.place, forKey: domain) == nil else {
                throw entry.name.error(.duplicateDomain(domain))
            }
            let mapping = try PolicyMapping(entry.value, keys: Self.serverKeys + ["subdomains"])
            let includesSubdomains = try subdomains(mapping, of: domain)
            let policy = try serverPolicy(mapping, over: policies.fallback)
            policies.set(.init(domain: domain, includesSubdomains: includesSubdomains, policy: policy))
        }
        for entry in policies.entries {
            guard let above = policies.parentEntry(entry.domain), entry.policy.isWeaker(than: above.policy),
                let place = places[entry.domain]
            else { continue }
            warn(.weakerThan(above.domain), at: place)
        }
    }

    private func domain(_ entry: PolicyNode.Entry) throws(PolicyFileError) -> HostName {
        do {
            return try HostName(entry.text)
        } catch {
            throw entry.name.error(.domain(error))
        }
    }

    private func subdomains(_ mapping: PolicyMapping, of domain: HostName) throws(PolicyFileError) -> Bool {
        guard let node = mapping["subdomains"], try node.boolean() else { return false }
        guard !domain.isAddress else { throw node.error(.subdomainsOfAddress(domain)) }
        return true
    }
}

extension ServerPolicy {
    /// Returns whether this policy allows something that the other
    /// does not, as far as that is known without the server.
    fileprivate func isWeaker(than other: ServerPolicy) -> Bool {
        trust.pins.isEmpty && !other.trust.pins.isEmpty
            || trust.validation != .full && other.trust.validation == .full
            || minimumTLSVersion < other.minimumTLSVersion
            || allowsLegacyTLS && !other.allowsLegacyTLS
            // The file may lower OpenSSL's security level.
            || usesOpenSSLConfiguration && !other.usesOpenSSLConfiguration
            || allowsPlainHTTP && !other.allowsPlainHTTP
            || !methods.isSubset(of: other.methods)
            || trust.localEvidence == .allowed && other.trust.localEvidence != .allowed
            || trust.transparency == nil && other.trust.transparency != nil
            || other.trust.revocation == .hardFail && trust.revocation != .hardFail
            || trust.certificatePolicies.isWeaker(than: other.trust.certificatePolicies)
    }
}

extension CertificatePolicyInputs {
    fileprivate func isWeaker(than other: CertificatePolicyInputs) -> Bool {
        guard other.isRequired else { return false }
        let acceptsMore = other.acceptable.map { acceptable?.isSubset(of: $0) != true } ?? false
        return !isRequired || acceptsMore || allowsMapping && !other.allowsMapping
            || allowsAnyPolicy && !other.allowsAnyPolicy
    }
}
