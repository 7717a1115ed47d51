// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes policies of a document, and notes what is remarkable about them.
struct PolicyReader {
    static let serverKeys = [
        "anchors", "profile", "pins", "revocation", "missing-issuers", "local-evidence", "validation", "minimum-tls",
        "plain-http", "methods",
    ]

    let time: Date
    let anchorFile: (String) throws -> [Certificate]
    private(set) var warnings: [PolicyFileWarning] = []

    init(time: Date, anchorFile: @escaping (String) throws -> [Certificate]) {
        self.time = time
        self.anchorFile = anchorFile
    }

    mutating func policies(_ root: PolicyNode) throws(PolicyFileError) -> DomainPolicies {
        let document = try PolicyMapping(root, keys: ["version", "default", "domains"])
        try document.require("version").choice(["1": ()])
        var policies = DomainPolicies()
        if let node = document["default"] {
            policies.fallback = try serverPolicy(PolicyMapping(node, keys: Self.serverKeys), over: policies.fallback)
        }
        if let node = document["domains"] {
            try readDomains(node, into: &policies)
        }
        return policies
    }

    /// What a mapping asks for; what it leaves out comes from the base.
    mutating func serverPolicy(
        _ mapping: PolicyMapping, over base: ServerPolicy
    ) throws(PolicyFileError) -> ServerPolicy {
        var policy = base
        if let node = mapping["anchors"] { policy.trust.anchors = try anchors(node) }
        if let node = mapping["profile"] {
            policy.trust.profile = try node.choice(["web-pki": .webPKI, "private-pki": .privatePKI, "automatic": nil])
        }
        if let node = mapping["pins"] { policy.trust.pins = try pins(node) }
        if let node = mapping["revocation"] {
            policy.trust.revocation = try node.choice([
                "where-demanded": .whereDemanded, "soft-fail": .softFail, "hard-fail": .hardFail,
            ])
        }
        if let node = mapping["missing-issuers"] {
            policy.trust.missingIssuers = try node.choice(["not-fetched": .notFetched, "fetched": .fetched])
        }
        if let node = mapping["local-evidence"] {
            policy.trust.localEvidence = try node.choice(["beside-server": .besideServer, "allowed": .allowed])
        }
        if let node = mapping["validation"] { policy.trust.validation = try validation(node) }
        if let node = mapping["minimum-tls"] {
            policy.minimumTLSVersion = try node.choice(["1.2": .tls12, "1.3": .tls13])
        }
        if let node = mapping["plain-http"] {
            policy.allowsPlainHTTP = try node.choice(["allowed": true, "forbidden": false])
        }
        if let node = mapping["methods"] { policy.methods = try methods(node) }
        // What both keys inherit was remarked on where it stands.
        let saysEither = mapping["pins"] != nil || mapping["plain-http"] != nil
        if saysEither, policy.allowsPlainHTTP, !policy.trust.pins.isEmpty {
            let key = mapping["plain-http"] == nil ? "pins" : "plain-http"
            warn(.plainHTTPBesidePins, at: mapping.place(of: key))
        }
        return policy
    }

    /// `all`, or a list of names.
    private func methods(_ node: PolicyNode) throws(PolicyFileError) -> AllowedMethods {
        if node.isText { return try node.choice(["all": .all]) }
        let choices = AuthenticationMethod.selectable.map { (key: $0.description, value: $0) }
        var methods: Set<AuthenticationMethod> = []
        for element in try node.list() { methods.insert(try element.choice(choices)) }
        return .only(methods)
    }

    private mutating func validation(_ node: PolicyNode) throws(PolicyFileError) -> TrustPolicy.Validation {
        let validation: TrustPolicy.Validation = try node.choice([
            "full": .full, "first-use": .firstUse, "dangerously-disabled": .dangerouslyDisabled,
        ])
        if validation == .dangerouslyDisabled { warn(.validationDisabled, at: node.place) }
        return validation
    }

    mutating func warn(_ reason: PolicyFileWarning.Reason, at place: PolicyFilePlace) {
        warnings.append(PolicyFileWarning(place: place, reason: reason))
    }
}
