// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TrustFailure {
    /// A value for each code.
    package static var examples: [TrustFailure] {
        guard let chain = ExampleChain() else { return [] }
        let (leaf, issuer, root) = (chain.leaf, chain.issuer, chain.root)
        let now = ExampleChain.now
        return [
            .selfSigned(root), .unknownRoot(root), .issuerNotFound(of: leaf), .expired(leaf, at: now),
            .notYetValid(leaf, at: leaf.notBefore - 86_400),
            .hostMismatch(host: "b.example", presented: ["a.example", "www.a.example"]),
            .noSubjectAlternativeNames(leaf),
            .pinMismatch(pins: [issuer.publicKeyPin], presented: [leaf.publicKeyPin]),
            .changed(RememberedServer(key: issuer.publicKeyPin, since: leaf.notBefore), presented: leaf.publicKeyPin),
            .badSignature(leaf, issuer: issuer), .notAnAuthority(issuer), .pathTooLong(root, allowed: 0, found: 1),
            .keyUsage(issuer, needed: ["keyCertSign"], found: ["digitalSignature"]),
            .extendedKeyUsage(leaf, needed: ["serverAuth"], found: ["clientAuth"]),
            .nameConstraints(leaf, name: "a.example", authority: issuer, constraint: "permitted: b.example"),
            .noValidPolicy(
                leaf, .notAllowed(found: [.domainValidated], allowed: [.extendedValidation]), requiredBy: issuer),
            .unknownCriticalExtension(leaf, "1.3.6.1.4.1.32473.1"),
            .malformedExtension(leaf, "2.5.29.17"), .weakSignature(leaf, "SHA-1"), .weakKey(root, bits: 1024),
            .distrusted(leaf),
            .nonconforming(issuer, .criticalBasicConstraints),
            .revoked(leaf, at: leaf.notAfter - 86_400, reason: .keyCompromise),
            .transparencyInsufficient(
                leaf,
                TransparencyShortfall(
                    reason: .tooFewLogs, rule: "chrome", logs: 1, neededLogs: 3, operators: 1, neededOperators: 2)),
            .revocationUnknown(leaf, .unknownToResponder), .budgetExhausted(signatureChecks: 64),
        ]
    }
}
