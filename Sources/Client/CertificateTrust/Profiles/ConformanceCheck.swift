// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Synchronization
import X509

/// The form of a certificate, by every rule of every profile.
private struct ConformanceCheck {
    private let parsed: ParsedCertificate
    private let isLeaf: Bool
    private let isAuthority: Bool
    private let isSelfIssued: Bool

    private var broken = FormRules()

    /// The rules that a certificate breaks; what depends on the host asked for is not among them.
    static func brokenRules(_ parsed: ParsedCertificate, isLeaf: Bool) -> FormRules {
        var check = ConformanceCheck(parsed, isLeaf: isLeaf)
        check.checkStandard()
        check.checkBaseline()
        return check.broken
    }

    private init(_ parsed: ParsedCertificate, isLeaf: Bool) {
        self.parsed = parsed
        self.isLeaf = isLeaf
        isAuthority = parsed.isAuthority
        isSelfIssued = parsed.isSelfIssued
    }

    @inline(__always)
    private mutating func require(_ isFollowed: Bool, _ rule: TrustFailure.Rule) {
        if !isFollowed { broken.insert(rule) }
    }

    /// RFC 5280.
    private mutating func checkStandard() {
        // Roots in every store have a serial number of 0, and are never revoked by it.
        require(isSelfIssued || hasGoodSerialNumber, .serialNumber)
        require(encoded.hasUsualTimes, .validityEncoding)
        require(!isAuthority || !parsed.subject.isEmpty, .authorityName)
        require(isSelfIssued || hasAuthorityKeyIdentifier, .authorityKeyIdentifier)
        require(!isAuthority || parsed.subjectKey.isPresent, .subjectKeyIdentifier)
        require(!isAuthority || parsed.keyUsage.isPresent, .authorityKeyUsage)
        require(!isAuthority || parsed.basicConstraints.isCritical != false, .criticalBasicConstraints)
        require(isAuthority || parsed.keyUsage.value?.keyCertSign != true, .signingWithoutAuthority)
        require(
            !parsed.subject.isEmpty || parsed.alternativeNames.isCritical != false, .criticalAlternativeNames)
        require(!isLeaf || alternativeNames.allSatisfy(\.hasPreferredSyntax), .alternativeNameSyntax)
        require(isAuthority || !parsed.nameConstraints.isPresent, .constraintsWithoutAuthority)
        require(parsed.nameConstraints.isCritical != false, .criticalNameConstraints)
        require(parsed.policies.constraints.isCritical != false, .criticalPolicyConstraints)
        require(hasOneSignatureAlgorithm, .signatureAlgorithm)
        require(encoded.extensions.isEmpty || encoded.version == 3, .version)
    }

    /// The Baseline Requirements.
    private mutating func checkBaseline() {
        require(!isLeaf || !isAuthority, .serverIsAuthority)
        require(!isLeaf || hasServerPurposes, .serverPurposes)
        require(isLeaf || !isSelfIssued || !parsed.extendedKeyUsage.isPresent, .rootPurposes)
        require(isLeaf || !isSelfIssued || hasRootKeyIdentifier, .rootKeyIdentifier)
        require(!isLeaf || hasAlternativeCommonNames, .commonName)
        require(
            parsed.subject.isEmpty || parsed.alternativeNames.isCritical != true, .uncriticalAlternativeNames)
        require(hasGoodAuthorityInformation, .authorityInformation)
        require(parsed.rsaSize.map { $0 % 8 == 0 } ?? true, .keySize)
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

    private var hasAlternativeCommonNames: Bool {
        var outer = DERReader(parsed.fields.subject)
        var relativeNames = outer.enter(DERTag.sequence)
        while var attributes = relativeNames?.enter(DERTag.set) {
            while var attribute = attributes.enter(DERTag.sequence) {
                guard attribute.next()?.content.elementsEqual(Self.commonName) == true, let value = attribute.next()
                else { continue }
                guard let name = Self.text(value), isAlternativeName(name) else { return false }
            }
        }
        return true
    }

    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    private static let utf8String: UInt8 = 0x0c

    private static func text(_ value: DERReader.Element) -> String? {
        if value.tag == utf8String, value.content.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: value.content, as: UTF8.self)
        }
        return (try? ASN1Any(derEncoded: value.bytes)).flatMap {
            String(RelativeDistinguishedName.Attribute.Value(asn1Any: $0))
        }
    }

    /// As no client reads it, two habits are let through: the domain of a wildcard, and a host name where there are
    /// only addresses.
    private func isAlternativeName(_ commonName: String) -> Bool {
        let isNamed = alternativeNames.contains { name in
            switch name {
            case .dnsName(let name):
                // Of texts that are as long as each other, one of which is ASCII, this compares the bytes.
                name.utf8.count == commonName.utf8.count && name == commonName
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
        if name.utf8.withContiguousStorageIfAvailable(Self.isPlainHost) == true { return true }
        let isWildcard = name.utf8.starts(with: "*.".utf8)
        let bare = isWildcard ? String(name.dropFirst(2)) : name
        guard let host = try? HostName(bare), !host.isAddress else { return false }
        return !name.hasSuffix(".") && !name.utf8.contains(UInt8(ascii: "_"))
    }

    /// Whether a name is a host's or a wildcard's beyond doubt, as most are; of the others `HostName` decides.
    ///
    /// Labels of letters, digits and hyphens inside of them, the last of which begins with a letter, so that it is no address.
    private static func isPlainHost(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = name.starts(with: "*.".utf8) ? name.dropFirst(2) : name[...]
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

extension ParsedCertificate {
    /// The rules of form that it breaks in its place of a path, found out once.
    func brokenRules(asLeaf isLeaf: Bool) -> FormRules {
        broken.withLock { broken in
            if let known = isLeaf ? broken.asLeaf : broken.asIssuer { return FormRules(bits: known) }
            let rules = ConformanceCheck.brokenRules(self, isLeaf: isLeaf)
            if isLeaf { broken.asLeaf = rules.bits } else { broken.asIssuer = rules.bits }
            return rules
        }
    }
}
