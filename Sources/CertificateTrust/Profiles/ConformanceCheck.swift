// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// The form of a certificate, by every rule of every profile.
struct ConformanceCheck {
    private let parsed: ParsedCertificate
    private let isLeaf: Bool
    private let isAuthority: Bool
    private let isSelfIssued: Bool

    /// The rules that a certificate breaks; what depends on the host asked for is not among them.
    ///
    /// - Returns: A bit for each, in the order of all rules.
    static func brokenRules(_ parsed: ParsedCertificate, isLeaf: Bool) -> UInt64 {
        let check = ConformanceCheck(parsed, isLeaf: isLeaf)
        return TrustFailure.Rule.allCases.enumerated().reduce(0) { bits, rule in
            check.follows(rule.element) ? bits : bits | 1 << UInt64(rule.offset)
        }
    }

    private init(_ parsed: ParsedCertificate, isLeaf: Bool) {
        self.parsed = parsed
        self.isLeaf = isLeaf
        isAuthority = parsed.isAuthority
        isSelfIssued = parsed.isSelfIssued
    }

    private func follows(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        // Roots in every store have a serial number of 0, and are never revoked by it.
        case .serialNumber: isSelfIssued || hasGoodSerialNumber
        case .validityEncoding: encoded.hasUsualTimes
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
        case .version: encoded.extensions.isEmpty || encoded.version == 3
        default: followsBaseline(rule)
        }
    }

    private func followsBaseline(_ rule: TrustFailure.Rule) -> Bool {
        switch rule {
        case .serverIsAuthority: !isLeaf || !isAuthority
        case .serverPurposes: !isLeaf || hasServerPurposes
        case .rootPurposes: isLeaf || !isSelfIssued || !parsed.extendedKeyUsage.isPresent
        case .rootKeyIdentifier: isLeaf || !isSelfIssued || hasRootKeyIdentifier
        case .commonName: !isLeaf || encoded.commonNames.allSatisfy(isAlternativeName)
        case .uncriticalAlternativeNames:
            parsed.subject.isEmpty || parsed.alternativeNames.isCritical != true
        case .authorityInformation: hasGoodAuthorityInformation
        case .keySize: parsed.rsaSize.map { $0 % 8 == 0 } ?? true
        default: true
        }
    }

    private var encoded: EncodedCertificate { parsed.encoded }

    private var alternativeNames: [GeneralName] { parsed.alternativeNames.value ?? [] }

    private var hasGoodSerialNumber: Bool {
        let bytes = encoded.fields.serialNumber
        guard let first = bytes.first, first < 0x80 else { return false }
        return (1...20).contains(bytes.drop { $0 == 0 }.count)
    }

    private var hasAuthorityKeyIdentifier: Bool {
        parsed.authorityKey.value?.keyIdentifier != nil
    }

    private var hasOneSignatureAlgorithm: Bool {
        encoded.signatureAlgorithm == encoded.fields.signatureAlgorithm
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
        encoded.found(ExtensionNumber.authorityInformation)?.isAuthorityInformation ?? true
    }

    /// As no client reads it, two habits are let through: the domain of a wildcard, and a host name where there are
    /// only addresses.
    private func isAlternativeName(_ commonName: String?) -> Bool {
        guard let commonName else { return false }
        let isNamed = alternativeNames.contains { name in
            switch name {
            case .dnsName(let name):
                name.utf8.elementsEqual(commonName.utf8)
                    || name.utf8.starts(with: "*.".utf8) && name.utf8.dropFirst(2).elementsEqual(commonName.utf8)
            case .ipAddress(let octets):
                [4, 16].contains(octets.bytes.count) && IPAddressText.text(of: octets.bytes) == commonName
            // An e-mail address or another name of a client's.
            default: name.mailboxOrURI == commonName
            }
        }
        return isNamed
            || !alternativeNames.contains(where: \.isDNSName) && (try? HostName(commonName))?.isAddress == false
    }
}

extension EncodedCertificate {
    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    private static let utf8String: UInt8 = 0x0c

    /// `nil` for one that is no text.
    fileprivate var commonNames: [String?] {
        var names: [String?] = []
        var outer = DERReader(fields.subject)
        var relativeNames = outer.enter(DERTag.sequence)
        while var attributes = relativeNames?.enter(DERTag.set) {
            while var attribute = attributes.enter(DERTag.sequence) {
                guard attribute.next()?.content.elementsEqual(Self.commonName) == true, let value = attribute.next()
                else { continue }
                names.append(Self.text(value))
            }
        }
        return names
    }

    private static func text(_ value: DERReader.Element) -> String? {
        if value.tag == utf8String, value.content.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: value.content, as: UTF8.self)
        }
        return (try? ASN1Any(derEncoded: value.bytes)).flatMap {
            String(RelativeDistinguishedName.Attribute.Value(asn1Any: $0))
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
        let isWildcard = name.utf8.starts(with: "*.".utf8)
        if Self.isPlainHost(name.utf8.dropFirst(isWildcard ? 2 : 0)) { return true }
        let bare = isWildcard ? String(name.dropFirst(2)) : name
        guard let host = try? HostName(bare), !host.isAddress else { return false }
        return !name.hasSuffix(".") && !name.utf8.contains(UInt8(ascii: "_"))
    }

    /// Whether a name is a host's beyond doubt, as most are; of the others `HostName` decides.
    ///
    /// Labels of letters, digits and hyphens inside of them, the last of which begins with a letter, so that it is no address.
    private static func isPlainHost(_ name: Substring.UTF8View) -> Bool {
        guard name.count <= 253 else { return false }
        var (length, last, beginsWithLetter) = (0, UInt8(ascii: "."), false)
        for byte in name {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if length == 0 { beginsWithLetter = true }
                length += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if length == 0 { beginsWithLetter = false }
                length += 1
            case UInt8(ascii: "-"):
                guard length > 0 else { return false }
                length += 1
            case UInt8(ascii: "."):
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                length = 0
            default: return false
            }
            guard length <= 63 else { return false }
            last = byte
        }
        return length > 0 && last != UInt8(ascii: "-") && beginsWithLetter
    }
}
