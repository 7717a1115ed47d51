// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import EssentialFoundation
import SwiftASN1
import X509

/// A case of x509-limbo (https://x509-limbo.com), according to its schema.
struct LimboCase: Decodable, Sendable {
    /// The validated peer: a client or a server.
    enum Kind: String, Decodable {
        case client = "CLIENT"
        case server = "SERVER"
    }

    struct Peer: Decodable {
        enum Kind: String, Decodable {
            case mailbox = "RFC822"
            case name = "DNS"
            case address = "IP"
        }

        let kind: Kind
        let value: String
    }

    enum Result: String, Codable {
        case success = "SUCCESS"
        case failure = "FAILURE"
    }

    let id: String
    let validationKind: Kind
    let trustedCerts: [String]
    let untrustedIntermediates: [String]
    let peerCertificate: String
    let validationTime: Date?
    let signatureAlgorithms: [String]
    let keyUsage: [String]
    let extendedKeyUsage: [String]
    let expectedResult: Result
    let expectedPeerName: Peer?
    let expectedPeerNames: [Peer]
    let maxChainDepth: Int?
    /// The revocation lists; `nil` if there are none, which the schema allows.
    let crls: [String]?

    /// The policies of the inputs in PKITS; `nil` in suites without them.
    let initialPolicySet: [String]?
    let initialExplicitPolicy: Bool?
    let initialPolicyMappingInhibit: Bool?
    let initialInhibitAnyPolicy: Bool?
    /// The expected policies of a successful validation.
    let userConstrainedPolicySet: [String]?

    /// The inputs that only the converted suites have (Conformance/Interop/suites); `nil` in x509-limbo.
    let purpose: TrustPolicy.Purpose?
    let rules: Rules?
    let revocation: TrustPolicy.Revocation?
    let revocationScope: TrustPolicy.RevocationScope?
    let acceptedWeaknesses: [TrustPolicy.Weakness]?
    /// The OCSP responses in PEM, as if they were fetched.
    let ocspResponses: [String]?

    /// The form rules of a suite, in the names of the ids of x509-limbo.
    enum Rules: String, Decodable {
        case `private`
        case rfc5280
        case webpki
    }

    /// The id without its last part.
    var category: String { id.split(separator: "::").dropLast().joined(separator: "::") }
}

extension LimboCase {
    /// A condition that cannot be read, so that no chain satisfies it.
    enum UnusableCondition: Error, Hashable {
        case peerName(String)
        case keyUsage(String)
        case extendedKeyUsage(String)
        case policy(String)
    }

    /// Returns the case's requirements of a path, with the given key usage of the leaf if the case specifies none.
    func requirements(keyUse: PathRequirements.KeyUse) throws -> PathRequirements {
        var requirements =
            purpose.map { PathRequirements(for: $0) }
            ?? PathRequirements(purposes: [validationKind == .client ? .clientAuth : .serverAuth], keyUse: keyUse)
        requirements.purposes.formUnion(try purposes())
        if !keyUsage.isEmpty { requirements.keyUse = .every(try keyUses()) }
        requirements.maximumDepth = maxChainDepth
        requirements.rules = ruleSet
        if !signatureAlgorithms.isEmpty {
            requirements.signatureAlgorithms = Set(signatureAlgorithms.compactMap { Self.algorithms[$0] })
        }
        return requirements
    }

    /// Returns the inputs for certificate policies.
    func policyInputs() throws -> CertificatePolicyInputs {
        let policies = try (initialPolicySet ?? []).map { text in
            guard let policy = CertificatePolicyIdentifier(text) else { throw UnusableCondition.policy(text) }
            return policy
        }
        return CertificatePolicyInputs(
            acceptable: policies.isEmpty || policies.contains(.any) ? nil : Set(policies),
            isRequired: initialExplicitPolicy ?? false, allowsMapping: !(initialPolicyMappingInhibit ?? false),
            allowsAnyPolicy: !(initialInhibitAnyPolicy ?? false))
    }

    /// Returns the names that the leaf must have.
    func peers() throws -> [PeerName] {
        try ([expectedPeerName].compactMap(\.self) + expectedPeerNames).map { peer in
            if peer.kind == .mailbox { return .mailbox(peer.value) }
            // An address given as a DNS name, or the reverse, must not match anything.
            guard let host = try? HostName(peer.value), host.isAddress == (peer.kind == .address) else {
                throw UnusableCondition.peerName(peer.value)
            }
            return .host(host)
        }
    }

    /// The rules, given or chosen by the profile in the id; other cases are about paths and use the most lenient rules.
    private var ruleSet: RuleSet {
        switch rules?.rawValue[...] ?? id.split(separator: ":").first {
        case "webpki", "online": .baselineRequirements
        case "rfc5280": .rfc5280
        default: .privatePKI
        }
    }

    /// Returns the listed purposes, which are names or object identifiers.
    private func purposes() throws -> Set<ExtendedKeyUsage.Usage> {
        try extendedKeyUsage.reduce(into: []) { purposes, text in
            if let known = Self.knownPurposes[text] {
                purposes.insert(known)
            } else if let identifier = try? ASN1ObjectIdentifier(dotRepresentation: text) {
                purposes.insert(.init(oid: identifier))
            } else {
                throw UnusableCondition.extendedKeyUsage(text)
            }
        }
    }

    private func keyUses() throws -> KeyUsage {
        try keyUsage.reduce(into: KeyUsage()) { usage, text in
            switch text {
            case "digitalSignature": usage.digitalSignature = true
            case "contentCommitment": usage.nonRepudiation = true
            case "keyEncipherment": usage.keyEncipherment = true
            case "dataEncipherment": usage.dataEncipherment = true
            case "keyAgreement": usage.keyAgreement = true
            case "keyCertSign": usage.keyCertSign = true
            case "cRLSign": usage.cRLSign = true
            case "encipherOnly": usage.encipherOnly = true
            case "decipherOnly": usage.decipherOnly = true
            default: throw UnusableCondition.keyUsage(text)
            }
        }
    }

    private static let knownPurposes: [String: ExtendedKeyUsage.Usage] = [
        "anyExtendedKeyUsage": .any, "serverAuth": .serverAuth, "clientAuth": .clientAuth,
        "codeSigning": .codeSigning, "emailProtection": .emailProtection, "timeStamping": .timeStamping,
        "OCSPSigning": .ocspSigning,
    ]

    /// The supported signature algorithms; others in the schema
    /// are ignored, so a list of them alone accepts no signature.
    private static let algorithms: [String: Certificate.SignatureAlgorithm] = [
        "RSA_WITH_SHA1": .sha1WithRSAEncryption, "RSA_WITH_SHA256": .sha256WithRSAEncryption,
        "RSA_WITH_SHA384": .sha384WithRSAEncryption, "RSA_WITH_SHA512": .sha512WithRSAEncryption,
        "ECDSA_WITH_SHA256": .ecdsaWithSHA256, "ECDSA_WITH_SHA384": .ecdsaWithSHA384,
        "ECDSA_WITH_SHA512": .ecdsaWithSHA512, "ED25519": .ed25519,
    ]
}

extension LimboCase {
    struct UnreadableLeaf: Error {}

    /// Evaluates the chain; an unreadable certificate or condition counts as a failure.
    func evaluate(
        publicSuffixes: PublicSuffixList?, keyUse: PathRequirements.KeyUse = .anything
    ) -> LimboOutcome {
        do {
            let (chain, peers, requirements) = (try chain(), try peers(), try requirements(keyUse: keyUse))
            let anchors = try? AnchorStore(pemBundle: Array(trustedCerts.joined(separator: "\n").utf8))
            // Revocation lists in a case are meant to be decisive, so an unreadable list is a failure.
            let lists = (crls ?? []).compactMap { try? CertificateRevocationList(pemEncoded: $0) }
            let responses = (ocspResponses ?? []).compactMap { text in
                try? OCSPResponse(derEncoded: PEMDocument(pemString: text).derBytes)
            }
            let evidence = TrustEvidence(
                revocation: RevocationEvidence(lists: lists, responses: responses.map { .init($0) }))
            let isAboutRevocation = crls?.isEmpty == false || ocspResponses != nil
            let evaluator = TrustEvaluator(
                policy: TrustPolicy(
                    profile: .privatePKI, revocation: revocation ?? (isAboutRevocation ? .hardFail : .whereDemanded),
                    certificatePolicies: try policyInputs(), purpose: purpose ?? .server,
                    revocationScope: revocationScope ?? .path, acceptedWeaknesses: Set(acceptedWeaknesses ?? [])),
                systemAnchors: anchors ?? AnchorStore([]),
                publicSuffixes: publicSuffixes)
            let (clock, time) = (ContinuousClock(), validationTime ?? Date())
            let start = clock.now
            let verdict = evaluator.evaluate(chain, for: peers, requirements: requirements, at: time, with: evidence)
            let duration = start.duration(to: clock.now)
            if verdict.isTrusted, let wanted = userConstrainedPolicySet {
                let found = verdict.certificatePolicies.map(\.description).sorted()
                guard found == wanted.sorted() else {
                    return LimboOutcome(reasons: ["policies \(found), not \(wanted.sorted())"], time: duration)
                }
            }
            return LimboOutcome(reasons: verdict.failures.map(text), time: duration)
        } catch {
            return LimboOutcome(reasons: ["unreadable: \(error)"], time: .zero)
        }
    }

    private func chain() throws -> PresentedChain {
        let issuers = untrustedIntermediates.compactMap { try? PEMDocument(pemString: $0).derBytes }
        let leaf = try PEMDocument(pemString: peerCertificate).derBytes
        guard let chain = PresentedChain(derEncoded: [leaf] + issuers) else { throw UnreadableLeaf() }
        return chain
    }

    private func text(_ failure: TrustFailure) -> String {
        guard case .nonconforming(let certificate, let rule) = failure else { return failure.code }
        return "\(rule.rawValue) of \(certificate.subject)"
    }
}
