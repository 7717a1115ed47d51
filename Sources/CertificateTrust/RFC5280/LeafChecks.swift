// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// What a server's own certificate must satisfy, whoever issued it.
enum LeafChecks {
    static func usage(_ leaf: Certificate, _ requirements: PathRequirements) throws(TrustFailure) {
        try CriticalExtensionsCheck.check(leaf)
        try AlgorithmCheck.checkKey(of: leaf)
        _ = try leaf.read(.X509ExtensionID.basicConstraints) { try $0.basicConstraints }
        let keyUsage = try leaf.read(.X509ExtensionID.keyUsage) { try $0.keyUsage }
        guard let keyUsage, !requirements.keyUse.isAllowed(by: keyUsage) else {
            return try checkPurpose(leaf, requirements)
        }
        throw .keyUsage(CertificateSummary(leaf))
    }

    /// Without the extension a certificate is for everything (RFC 5280 section 4.2.1.12).
    static func checkPurpose(_ certificate: Certificate, _ requirements: PathRequirements) throws(TrustFailure) {
        let purposes = try certificate.read(.X509ExtensionID.extendedKeyUsage) { try $0.extendedKeyUsage }
        guard let purposes, !purposes.contains(.any), !requirements.purposes.isSubset(of: purposes) else { return }
        throw .extendedKeyUsage(CertificateSummary(certificate))
    }

    static func names(_ leaf: Certificate, _ peer: PeerName) throws(TrustFailure) {
        let names = try leaf.read(.X509ExtensionID.subjectAlternativeName) { try $0.subjectAlternativeNames }
        guard let names, !names.isEmpty else { throw .noSubjectAlternativeNames(CertificateSummary(leaf)) }
        guard HostNameMatching.matches(Array(names), peer) else {
            throw .hostMismatch(host: peer.text, presented: names.compactMap(\.hostText))
        }
    }
}

extension GeneralName {
    fileprivate var hostText: String? {
        switch self {
        case .dnsName(let name): name.filter { $0.isASCII && !$0.isWhitespace && $0 != "\u{7f}" && $0 >= " " }
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
        case .every(let wanted): KeyUsage.each.allSatisfy { !wanted[keyPath: $0] || usage[keyPath: $0] }
        }
    }
}

extension KeyUsage {
    fileprivate static var each: [KeyPath<KeyUsage, Bool>] {
        [
            \.digitalSignature, \.nonRepudiation, \.keyEncipherment, \.dataEncipherment, \.keyAgreement, \.keyCertSign,
            \.cRLSign, \.encipherOnly, \.decipherOnly,
        ]
    }
}
