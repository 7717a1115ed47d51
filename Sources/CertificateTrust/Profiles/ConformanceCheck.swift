// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// The form of the certificates of a path, by the rules of its profile.
struct ConformanceCheck {
    private let certificate: Certificate
    private let isLeaf: Bool
    private let extensions: Certificate.Extensions
    private let isAuthority: Bool
    private let isSelfIssued: Bool
    private let peers: [PeerName]
    private let publicSuffixes: PublicSuffixList?

    // The path is leaf first, anchor last.
    static func check(
        _ path: [Certificate], against set: RuleSet, for peers: [PeerName] = [], publicSuffixes: PublicSuffixList? = nil
    ) throws(TrustFailure) {
        for (index, certificate) in path.enumerated() {
            let check = ConformanceCheck(certificate, isLeaf: index == 0, peers, publicSuffixes)
            let binding = index > 0 && index == path.count - 1 ? set.anchorRules : set.rules
            for rule in TrustFailure.Rule.allCases where binding.contains(rule) && !check.follows(rule) {
                throw .nonconforming(CertificateSummary(certificate), rule)
            }
        }
    }

    private init(_ certificate: Certificate, isLeaf: Bool, _ peers: [PeerName], _ publicSuffixes: PublicSuffixList?) {
        self.certificate = certificate
        self.isLeaf = isLeaf
        self.peers = peers
        self.publicSuffixes = publicSuffixes
        extensions = certificate.extensions
        isAuthority =
            if case .isCertificateAuthority = try? extensions.basicConstraints { true } else { false }
        isSelfIssued = certificate.subject == certificate.issuer
    }

    private func follows(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        // Roots in every store have a serial number of 0, and nobody can revoke them by it.
        case .serialNumber: isSelfIssued || hasGoodSerialNumber
        case .authorityName: !isAuthority || !certificate.subject.isEmpty
        case .authorityKeyIdentifier: isSelfIssued || hasAuthorityKeyIdentifier
        case .subjectKeyIdentifier: !isAuthority || has(.X509ExtensionID.subjectKeyIdentifier)
        case .criticalBasicConstraints: !isAuthority || isCritical(.X509ExtensionID.basicConstraints) != false
        case .signingWithoutAuthority: isAuthority || (try? extensions.keyUsage)?.keyCertSign != true
        case .criticalAlternativeNames:
            !certificate.subject.isEmpty || isCritical(.X509ExtensionID.subjectAlternativeName) != false
        case .alternativeNameSyntax: !isLeaf || alternativeNames.allSatisfy(\.hasPreferredSyntax)
        case .constraintsWithoutAuthority: isAuthority || !has(.X509ExtensionID.nameConstraints)
        case .criticalNameConstraints: isCritical(.X509ExtensionID.nameConstraints) != false
        case .criticalPolicyConstraints: isCritical(.policyConstraints) != false
        case .signatureAlgorithm: hasOneSignatureAlgorithm
        case .version: extensions.isEmpty || certificate.version == .v3
        default: followsBaseline(rule)
        }
    }

    private func followsBaseline(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        case .serverIsAuthority: !isLeaf || !isAuthority
        case .serverPurposes: !isLeaf || hasServerPurposes
        case .rootPurposes: isLeaf || !isSelfIssued || !has(.X509ExtensionID.extendedKeyUsage)
        case .rootKeyIdentifier: isLeaf || !isSelfIssued || hasRootKeyIdentifier
        case .commonName: !isLeaf || certificate.commonNames.allSatisfy(isAlternativeName)
        case .uncriticalAlternativeNames:
            certificate.subject.isEmpty || isCritical(.X509ExtensionID.subjectAlternativeName) != true
        case .authorityInformation: hasGoodAuthorityInformation
        case .wildcardOnPublicSuffix: !isLeaf || !peers.contains(where: isNamedWithStrangers)
        case .keySize: AlgorithmCheck.rsaSize(of: certificate).map { $0 % 8 == 0 } ?? true
        default: true
        }
    }

    private func has(_ identifier: ASN1ObjectIdentifier) -> Bool { isCritical(identifier) != nil }

    /// `nil` where there is none.
    private func isCritical(_ identifier: ASN1ObjectIdentifier) -> Bool? {
        extensions.first { $0.oid == identifier }?.critical
    }

    private var alternativeNames: [GeneralName] {
        (try? extensions.subjectAlternativeNames).flatMap { $0.map(Array.init) } ?? []
    }

    private var hasGoodSerialNumber: Bool {
        let bytes = CertificateFields(tbsCertificate: certificate.tbsCertificateBytes)?.serialNumber ?? []
        guard let first = bytes.first, first < 0x80 else { return false }
        return (1...20).contains(bytes.drop { $0 == 0 }.count)
    }

    private var hasAuthorityKeyIdentifier: Bool {
        (try? extensions.authorityKeyIdentifier)?.keyIdentifier != nil
    }

    private var hasOneSignatureAlgorithm: Bool {
        guard let fields = CertificateFields(tbsCertificate: certificate.tbsCertificateBytes) else { return false }
        var outer = DERReader(certificate.derBytes[...])
        guard var parts = outer.enter(0x30), parts.next() != nil, let algorithm = parts.next() else { return false }
        return algorithm.bytes.elementsEqual(fields.signatureAlgorithm)
    }

    private var hasServerPurposes: Bool {
        guard let purposes = try? extensions.extendedKeyUsage else { return false }
        return !purposes.contains(.any) && isCritical(.X509ExtensionID.extendedKeyUsage) == false
    }

    /// Absence is allowed (section 7.1.2.1.2).
    private var hasRootKeyIdentifier: Bool {
        guard has(.X509ExtensionID.authorityKeyIdentifier) else { return true }
        guard let identifier = try? extensions.authorityKeyIdentifier, let key = identifier.keyIdentifier else {
            return false
        }
        return identifier.authorityCertIssuer == nil && identifier.authorityCertSerialNumber == nil
            && key == (try? extensions.subjectKeyIdentifier)?.keyIdentifier
    }

    /// Whether no name but such a wildcard is the peer's.
    private func isNamedWithStrangers(_ peer: PeerName) -> Bool {
        HostNameMatching.matches(alternativeNames, peer)
            && !HostNameMatching.matches(alternativeNames.filter { !spansStrangers($0) }, peer)
    }

    private func spansStrangers(_ name: GeneralName) -> Bool {
        guard case .dnsName(let name) = name, name.hasPrefix("*.") else { return false }
        return publicSuffixes?.isPublicSuffix(String(name.dropFirst(2))) ?? false
    }

    private var hasGoodAuthorityInformation: Bool {
        guard has(.X509ExtensionID.authorityInformationAccess) else { return true }
        guard let access = try? extensions.authorityInformationAccess else { return false }
        return !access.isEmpty
    }

    /// As no client reads it, two habits are let through: the domain of a wildcard, and a host name where there are
    /// only addresses.
    private func isAlternativeName(_ commonName: String?) -> Bool {
        guard let commonName else { return false }
        if (try? HostName(commonName))?.isAddress == false, !alternativeNames.contains(where: \.isDNSName) {
            return true
        }
        return alternativeNames.contains { name in
            switch name {
            case .dnsName(let name): [commonName, "*." + commonName].contains { $0.utf8.elementsEqual(name.utf8) }
            case .ipAddress(let octets):
                [4, 16].contains(octets.bytes.count) && IPAddressText.text(of: octets.bytes) == commonName
            // An e-mail address or another name of a client's.
            default: name.text == commonName
            }
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let policyConstraints: ASN1ObjectIdentifier = [2, 5, 29, 36]
}

extension Certificate {
    /// `nil` for one that is no text.
    fileprivate var commonNames: [String?] {
        subject.joined().filter { $0.type == .RDNAttributeType.commonName }.map { String($0.value) }
    }
}

extension GeneralName {
    fileprivate var text: String? {
        switch self {
        case .rfc822Name(let text), .uniformResourceIdentifier(let text): text
        default: nil
        }
    }

    fileprivate var isDNSName: Bool {
        if case .dnsName = self { true } else { false }
    }

    /// Letters, digits and hyphens; a wildcard may be the first label.
    fileprivate var hasPreferredSyntax: Bool {
        guard case .dnsName(let name) = self else { return true }
        let bare = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
        guard let host = try? HostName(bare), !host.isAddress else { return false }
        return !name.hasSuffix(".") && !name.utf8.contains(UInt8(ascii: "_"))
    }
}
