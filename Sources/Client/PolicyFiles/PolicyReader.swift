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

    mutating func policies(
        _ root: PolicyNode, hostNames: (String) throws(HostNameError) -> HostName
    ) throws(PolicyFileError) -> DomainPolicies {
        let document = try PolicyMapping(root, keys: ["version", "default", "domains"])
        if let node = document.require("version") {
            node.attempt { () throws(PolicyFileError) in try node.choice(PolicyValues.version) }
        }
        var policies = DomainPolicies()
        if let node = document["default"] {
            node.attempt { () throws(PolicyFileError) in
                policies.fallback = serverPolicy(
                    try PolicyMapping(node, keys: Self.serverKeys), over: policies.fallback)
            }
        }
        if let node = document["domains"] {
            node.attempt { () throws(PolicyFileError) in try readDomains(node, into: &policies, hostNames) }
        }
        return policies
    }

    /// Reads a server policy from a mapping; absent and wrong keys have the values of the base.
    private mutating func serverPolicy(_ mapping: PolicyMapping, over base: ServerPolicy) -> ServerPolicy {
        var policy = base
        for key in ServerKey.allCases {
            guard let node = mapping[key.rawValue] else { continue }
            node.attempt { () throws(PolicyFileError) in try read(key, node, into: &policy) }
        }
        // A warning about two inherited values was given at the entry that contains them.
        let hasEitherKey = mapping["pins"] != nil || mapping["plain-http"] != nil
        if hasEitherKey, policy.allowsPlainHTTP, !policy.trust.pins.isEmpty {
            let key = mapping["plain-http"] == nil ? "pins" : "plain-http"
            warn(.plainHTTPBesidePins, at: mapping.place(of: key))
        }
        return policy
    }

    private mutating func read(
        _ key: ServerKey, _ node: PolicyNode, into policy: inout ServerPolicy
    ) throws(PolicyFileError) {
        switch key {
        case .anchors: policy.trust.anchors = try anchors(node)
        case .purpose: policy.trust.purpose = try node.choice(PolicyValues.purpose)
        case .profile: policy.trust.profile = try node.choice(PolicyValues.profile)
        case .pins: policy.trust.pins = try pins(node)
        case .certificatePolicies: policy.trust.certificatePolicies = try certificatePolicies(node)
        case .acceptWeak: policy.trust.acceptedWeaknesses = try set(node, of: PolicyValues.weaknesses)
        case .tolerate: policy.trust.toleratedRules = try set(node, of: PolicyValues.rules)
        case .revocation: policy.trust.revocation = try node.choice(PolicyValues.revocation)
        case .revocationScope: policy.trust.revocationScope = try node.choice(PolicyValues.revocationScope)
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
        case .methods:
            policy.methods =
                node.isText
                ? try node.choice(PolicyValues.allMethods) : .only(try elements(node, of: PolicyValues.methods))
        }
    }

    /// Reads `none`, or a list of names.
    private func set<Value: Hashable>(
        _ node: PolicyNode, of choices: [(key: String, value: Value)]
    ) throws(PolicyFileError) -> Set<Value> {
        if node.isText { return try node.choice(["none": []]) }
        return try elements(node, of: choices)
    }

    private func elements<Value: Hashable>(
        _ node: PolicyNode, of choices: [(key: String, value: Value)]
    ) throws(PolicyFileError) -> Set<Value> {
        Set(
            try node.list().compactMap { element in
                element.attempt { () throws(PolicyFileError) in try element.choice(choices) }
            })
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
    private mutating func readDomains(
        _ node: PolicyNode, into policies: inout DomainPolicies,
        _ hostNames: (String) throws(HostNameError) -> HostName
    ) throws(PolicyFileError) {
        var places: [HostName: PolicyFileLocation] = [:]
        for entry in try node.entries() {
            let domain = entry.name.attempt { () throws(PolicyFileError) in
                try self.domain(entry, hostNames)
            }
            if let domain, places.updateValue(entry.name.place, forKey: domain) != nil {
                node.problems.record(entry.name.error(.duplicateDomain(domain)))
            }
            let mapping = entry.value.attempt { () throws(PolicyFileError) in
                try PolicyMapping(entry.value, keys: Self.serverKeys + ["subdomains"])
            }
            guard let mapping else { continue }
            let policy = serverPolicy(mapping, over: policies.fallback)
            guard let domain else { continue }
            let includesSubdomains = entry.value.attempt { () throws(PolicyFileError) in
                try self.subdomains(mapping, of: domain)
            }
            policies.set(.init(domain: domain, includesSubdomains: includesSubdomains ?? false, policy: policy))
        }
        for entry in policies.entries {
            guard let above = policies.parentEntry(entry.domain), entry.policy.isWeaker(than: above.policy),
                let place = places[entry.domain]
            else { continue }
            warn(.weakerThan(above.domain), at: place)
        }
    }

    private func domain(
        _ entry: PolicyNode.Entry, _ hostNames: (String) throws(HostNameError) -> HostName
    ) throws(PolicyFileError) -> HostName {
        do {
            return try hostNames(entry.text)
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
            || trust.revocationScope == .leaf && other.trust.revocationScope != .leaf
            || trust.purpose == .any && other.trust.purpose != .any
            || !trust.acceptedWeaknesses.isSubset(of: other.trust.acceptedWeaknesses)
            || !trust.toleratedRules.isSubset(of: other.trust.toleratedRules)
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
