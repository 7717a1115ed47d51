// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import SwiftASN1
import X509

extension LimboCase {
    /// A condition that cannot be read, so that nothing satisfies it.
    enum UnusableCondition: Error, Hashable {
        case peerName(String)
        case keyUsage(String)
        case extendedKeyUsage(String)
        case policy(String)
    }

    /// What the case asks of a path, with what the leaf's key must be good for where the case does not say.
    func requirements(keyUse: PathRequirements.KeyUse) throws -> PathRequirements {
        var requirements = PathRequirements(
            purposes: try purposes(), keyUse: keyUsage.isEmpty ? keyUse : .every(try keyUses()),
            maximumDepth: maxChainDepth)
        requirements.rules = rules
        if !signatureAlgorithms.isEmpty {
            requirements.signatureAlgorithms = Set(signatureAlgorithms.compactMap { Self.algorithms[$0] })
        }
        return requirements
    }

    /// What the certificate policies of a path must be.
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

    /// Every name that the leaf must be for.
    func peers() throws -> [PeerName] {
        try ([expectedPeerName].compactMap(\.self) + expectedPeerNames).map { peer in
            if peer.kind == .mailbox { return .mailbox(peer.value) }
            // An address in the place of a name is neither, and must match neither.
            guard let host = try? HostName(peer.value), host.isAddress == (peer.kind == .address) else {
                throw UnusableCondition.peerName(peer.value)
            }
            return .host(host)
        }
    }

    /// The suite keeps its profiles apart by name; what is under neither is about paths, not about form.
    private var rules: RuleSet {
        switch id.split(separator: ":").first {
        case "webpki", "online": .baselineRequirements
        case "rfc5280": .rfc5280
        default: .privatePKI
        }
    }

    /// That of the kind, and all that are listed: as words, or as object identifiers.
    private func purposes() throws -> Set<ExtendedKeyUsage.Usage> {
        try extendedKeyUsage.reduce(into: [validationKind == .client ? .clientAuth : .serverAuth]) { purposes, text in
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

    /// The schema's others verify nothing here, so a list of them alone lets no signature through.
    private static let algorithms: [String: Certificate.SignatureAlgorithm] = [
        "RSA_WITH_SHA1": .sha1WithRSAEncryption, "RSA_WITH_SHA256": .sha256WithRSAEncryption,
        "RSA_WITH_SHA384": .sha384WithRSAEncryption, "RSA_WITH_SHA512": .sha512WithRSAEncryption,
        "ECDSA_WITH_SHA256": .ecdsaWithSHA256, "ECDSA_WITH_SHA384": .ecdsaWithSHA384,
        "ECDSA_WITH_SHA512": .ecdsaWithSHA512, "ED25519": .ed25519,
    ]
}
