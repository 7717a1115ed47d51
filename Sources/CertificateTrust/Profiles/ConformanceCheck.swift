// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// The form of a certificate, by every rule of every profile.
struct ConformanceCheck {
    private let parsed: ParsedCertificate
    private let certificate: Certificate
    private let isLeaf: Bool
    private let isAuthority: Bool
    private let isSelfIssued: Bool

    /// The rules that a certificate breaks; what depends on the host asked for is not among them.
    static func brokenRules(_ parsed: ParsedCertificate, isLeaf: Bool) -> [TrustFailure.Rule] {
        let check = ConformanceCheck(parsed, isLeaf: isLeaf)
        return TrustFailure.Rule.allCases.filter { !check.follows($0) }
    }

    private init(_ parsed: ParsedCertificate, isLeaf: Bool) {
        self.parsed = parsed
        self.isLeaf = isLeaf
        certificate = parsed.certificate
        isAuthority = parsed.isAuthority
        isSelfIssued = parsed.isSelfIssued
    }

    private func follows(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        // Roots in every store have a serial number of 0, and are never revoked by it.
        case .serialNumber: isSelfIssued || hasGoodSerialNumber
        case .validityEncoding: parsed.fields?.validity.allSatisfy(\.isValidityTime) ?? false
        case .authorityName: !isAuthority || !parsed.subject.isEmpty
        case .authorityKeyIdentifier: isSelfIssued || hasAuthorityKeyIdentifier
        case .subjectKeyIdentifier: !isAuthority || parsed.subjectKey.isPresent
        case .authorityKeyUsage: !isAuthority || parsed.keyUsage.isPresent
        case .criticalBasicConstraints: !isAuthority || parsed.basicConstraints.isCritical != false
        case .signingWithoutAuthority: isAuthority || parsed.keyUsage.value?.keyCertSign != true
        case .criticalAlternativeNames:
            !parsed.subject.isEmpty || parsed.alternativeNames.isCritical != false
        case .alternativeNameSyntax: !isLeaf || alternativeNames.allSatisfy(\.hasPreferredSyntax)
        case .constraintsWithoutAuthority: isAuthority || !parsed.nameConstraints.isPresent
        case .criticalNameConstraints: parsed.nameConstraints.isCritical != false
        case .criticalPolicyConstraints: parsed.policies.constraints.isCritical != false
        case .signatureAlgorithm: hasOneSignatureAlgorithm
        case .version: certificate.extensions.isEmpty || certificate.version == .v3
        default: followsBaseline(rule)
        }
    }

    private func followsBaseline(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        case .serverIsAuthority: !isLeaf || !isAuthority
        case .serverPurposes: !isLeaf || hasServerPurposes
        case .rootPurposes: isLeaf || !isSelfIssued || !parsed.extendedKeyUsage.isPresent
        case .rootKeyIdentifier: isLeaf || !isSelfIssued || hasRootKeyIdentifier
        case .commonName: !isLeaf || certificate.commonNames.allSatisfy(isAlternativeName)
        case .uncriticalAlternativeNames:
            parsed.subject.isEmpty || parsed.alternativeNames.isCritical != true
        case .authorityInformation: hasGoodAuthorityInformation
        case .keySize: parsed.rsaSize.map { $0 % 8 == 0 } ?? true
        default: true
        }
    }

    private var alternativeNames: [GeneralName] { parsed.alternativeNames.value ?? [] }

    private var hasGoodSerialNumber: Bool {
        let bytes = parsed.fields?.serialNumber ?? []
        guard let first = bytes.first, first < 0x80 else { return false }
        return (1...20).contains(bytes.drop { $0 == 0 }.count)
    }

    private var hasAuthorityKeyIdentifier: Bool {
        parsed.authorityKey.value?.keyIdentifier != nil
    }

    private var hasOneSignatureAlgorithm: Bool {
        guard let fields = parsed.fields else { return false }
        var outer = DERReader(parsed.bytes[...])
        guard var parts = outer.enter(DERTag.sequence), parts.next() != nil, let algorithm = parts.next() else {
            return false
        }
        return algorithm.bytes.elementsEqual(fields.signatureAlgorithm)
    }

    private var hasServerPurposes: Bool {
        guard let purposes = parsed.extendedKeyUsage.value else { return false }
        return !purposes.contains(.any) && parsed.extendedKeyUsage.isCritical == false
    }

    /// Absence is allowed (section 7.1.2.1.2).
    private var hasRootKeyIdentifier: Bool {
        guard parsed.authorityKey.isPresent else { return true }
        guard let identifier = parsed.authorityKey.value, let key = identifier.keyIdentifier else { return false }
        return identifier.authorityCertIssuer == nil && identifier.authorityCertSerialNumber == nil
            && key == parsed.subjectKey.value
    }

    private var hasGoodAuthorityInformation: Bool {
        let extensions = certificate.extensions
        guard extensions[oid: .X509ExtensionID.authorityInformationAccess] != nil else { return true }
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
            default: name.mailboxOrURI == commonName
            }
        }
    }
}

extension Certificate {
    /// `nil` for one that is no text.
    fileprivate var commonNames: [String?] {
        subject.joined().filter { $0.type == .RDNAttributeType.commonName }.map { String($0.value) }
    }
}

extension DERReader.Element {
    /// Whether it is a time in the one form that its year has (RFC 5280 section 4.1.2.5).
    var isValidityTime: Bool {
        let digits = content.dropLast()
        guard content.last == UInt8(ascii: "Z"), digits.allSatisfy(\.isDigit),
            digits.suffix(2).first.map({ $0 < 0x36 }) == true
        else { return false }
        switch tag {
        case DERTag.utcTime: return digits.count == 12
        // UTCTime has no years before 1950.
        case DERTag.generalizedTime:
            let isInUTCTime =
                !digits.lexicographicallyPrecedes("1950".utf8) && digits.lexicographicallyPrecedes("2050".utf8)
            return digits.count == 14 && !isInUTCTime
        default: return false
        }
    }
}

extension GeneralName {
    fileprivate var mailboxOrURI: String? {
        switch self {
        case .rfc822Name(let text), .uniformResourceIdentifier(let text): text
        default: nil
        }
    }

    fileprivate var isDNSName: Bool {
        if case .dnsName = self { true } else { false }
    }

    /// Letters, digits and hyphens; a wildcard may be the first label.
    var hasPreferredSyntax: Bool {
        guard case .dnsName(let name) = self else { return true }
        let bare = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
        guard let host = try? HostName(bare), !host.isAddress else { return false }
        return !name.hasSuffix(".") && !name.utf8.contains(UInt8(ascii: "_"))
    }
}
