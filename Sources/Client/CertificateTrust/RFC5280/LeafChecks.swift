// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a server's own certificate must satisfy under every issuer.
enum LeafChecks {
    /// Every check that fails, so that a person learns of all of them at once.
    static func failures(
        of leaf: ParsedCertificate, _ peers: [PeerName], _ requirements: PathRequirements, at time: Date
    ) -> [TrustFailure] {
        var failures: [TrustFailure] = []
        do throws(TrustFailure) { try usage(leaf, requirements) } catch { failures.append(error) }
        do throws(TrustFailure) { try ValidityCheck.check(leaf, at: time) } catch { failures.append(error) }
        for peer in peers {
            do throws(TrustFailure) { try names(leaf, peer) } catch { failures.append(error) }
        }
        return failures
    }

    static func usage(_ leaf: ParsedCertificate, _ requirements: PathRequirements) throws(TrustFailure) {
        try CriticalExtensionsCheck.check(leaf)
        try AlgorithmCheck.checkKey(of: leaf)
        _ = try leaf.require(leaf.basicConstraints)
        let keyUsage = try leaf.require(leaf.keyUsage)
        if let keyUsage, !requirements.keyUse.isAllowed(by: keyUsage) {
            throw .keyUsage(leaf.summary, needed: requirements.keyUse.names, found: keyUsage.names)
        }
        try checkPurpose(leaf, requirements)
    }

    /// Without the extension a certificate is for everything (RFC 5280 section 4.2.1.12).
    static func checkPurpose(_ certificate: ParsedCertificate, _ requirements: PathRequirements) throws(TrustFailure) {
        guard let purposes = try certificate.require(certificate.extendedKeyUsage), !purposes.contains(.any),
            !requirements.purposes.allSatisfy(purposes.contains)
        else { return }
        throw .extendedKeyUsage(
            certificate.summary, needed: requirements.purposes.map { "\($0)".printable }.sorted(),
            found: purposes.map { "\($0)".printable })
    }

    static func names(_ leaf: ParsedCertificate, _ peer: PeerName) throws(TrustFailure) {
        guard let names = try leaf.require(leaf.alternativeNames), !names.isEmpty else {
            throw .noSubjectAlternativeNames(leaf.summary)
        }
        guard HostNameMatching.matches(names, peer) else {
            throw .hostMismatch(host: peer.text, presented: names.compactMap(\.hostText))
        }
    }
}

extension GeneralName {
    fileprivate var hostText: String? {
        switch self {
        case .dnsName(let name): name.printable
        case .ipAddress(let octets) where [4, 16].contains(octets.bytes.count): IPAddressText.text(of: octets.bytes)
        default: nil
        }
    }
}

extension PathRequirements.KeyUse {
    fileprivate func isAllowed(by usage: KeyUsage) -> Bool {
        switch self {
        case .anything: true
        case .handshake: usage.digitalSignature || usage.keyEncipherment || usage.keyAgreement
        case .every(let wanted): wanted.names.allSatisfy(usage.names.contains)
        }
    }

    fileprivate var names: [String] {
        switch self {
        case .anything: []
        case .handshake: ["digitalSignature", "keyEncipherment", "keyAgreement"]
        case .every(let wanted): wanted.names
        }
    }
}

extension KeyUsage {
    /// What the key may do, by the names of RFC 5280 section 4.2.1.3.
    var names: [String] {
        let uses: [(Bool, String)] = [
            (digitalSignature, "digitalSignature"), (nonRepudiation, "nonRepudiation"),
            (keyEncipherment, "keyEncipherment"), (dataEncipherment, "dataEncipherment"),
            (keyAgreement, "keyAgreement"), (keyCertSign, "keyCertSign"), (cRLSign, "cRLSign"),
            (encipherOnly, "encipherOnly"), (decipherOnly, "decipherOnly"),
        ]
        return uses.filter(\.0).map(\.1)
    }
}
