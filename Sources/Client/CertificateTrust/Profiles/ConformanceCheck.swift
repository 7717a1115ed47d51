// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Synchronization
import X509

/// Checks the form of a certificate against all rules of all profiles.
private struct ConformanceCheck {
    private let parsed: ParsedCertificate
    private let isLeaf: Bool
    private let isAuthority: Bool
    private let isSelfIssued: Bool

    private var broken: FormRules

    /// Returns the rules that a certificate breaks, except those that depend on the requested host.
    static func brokenRules(_ parsed: ParsedCertificate, isLeaf: Bool) -> FormRules {
        // An unsigned certificate only carries an anchor's name and key (RFC 9925).
        guard !parsed.isUnsigned else { return [] }
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
        broken = FormRules(parsed.deviations.brokenRules)
    }

    @inline(__always)
    private mutating func require(_ isFollowed: Bool, _ rule: TrustFailure.Rule) {
        if !isFollowed { broken.insert(rule) }
    }

    /// Checks the rules of RFC 5280.
    private mutating func checkStandard() {
        // Every root store contains roots with serial number 0, and roots are never revoked by serial number.
        require(isSelfIssued || hasValidSerialNumber, .serialNumber)
        require(encoded.hasConformingTimes, .validityEncoding)
        require(!isAuthority || !parsed.subject.isEmpty, .authorityName)
        require(isSelfIssued || hasAuthorityKeyIdentifier, .authorityKeyIdentifier)
        require(!isAuthority || parsed.subjectKey.isPresent, .subjectKeyIdentifier)
        require(!isAuthority || parsed.keyUsage.isPresent, .authorityKeyUsage)
        require(!isAuthority || parsed.basicConstraints.isCritical != false, .criticalBasicConstraints)
        require(isLeaf || isAuthority, .authorityBasicConstraints)
        require(isAuthority || parsed.keyUsage.value?.keyCertSign != true, .signingWithoutAuthority)
        require(
            !parsed.subject.isEmpty || parsed.alternativeNames.isCritical != false, .criticalAlternativeNames)
        require(
            !isLeaf || alternativeNames.allSatisfy { $0.hasPreferredSyntax && $0.isASCII }, .alternativeNameSyntax)
        require(isAuthority || !parsed.nameConstraints.isPresent, .constraintsWithoutAuthority)
        require(parsed.nameConstraints.isCritical != false, .criticalNameConstraints)
        require(parsed.policies.constraints.isCritical != false, .criticalPolicyConstraints)
        require(hasOneSignatureAlgorithm, .signatureAlgorithm)
        require(encoded.extensions.isEmpty || encoded.version == 3, .version)
        require(encoded.criticalInformation == nil, .uncriticalInformation)
    }

    /// Checks the rules of the Baseline Requirements.
    private mutating func checkBaseline() {
        require(!isLeaf || !isAuthority, .serverIsAuthority)
        require(!isLeaf || hasServerPurposes, .serverPurposes)
        require(isLeaf || !isSelfIssued || !parsed.extendedKeyUsage.isPresent, .rootPurposes)
        require(isLeaf || !isSelfIssued || hasRootKeyIdentifier, .rootKeyIdentifier)
        require(!isLeaf || hasAlternativeCommonNames, .commonName)
        require(
            parsed.subject.isEmpty || parsed.alternativeNames.isCritical != true, .uncriticalAlternativeNames)
        require(hasValidAuthorityInformation, .authorityInformation)
        require(parsed.rsaSize.map { $0 % 8 == 0 } ?? true, .keySize)
        require(hasBaselineAlgorithms, .baselineAlgorithms)
        require(!isLeaf || hasTimeStampingPurposes, .timeStampingPurposes)
    }

    private var encoded: EncodedCertificate { parsed.encoded }

    /// Whether the algorithms are those of section 7.1.3, apart from weak and unsupported ones, which other checks refuse.
    private var hasBaselineAlgorithms: Bool {
        switch parsed.key {
        case .pss, .openSSL: return false
        case .p256, .p384, .p521, .rsa, .ed25519, .unsupported, nil: break
        }
        switch parsed.algorithm {
        case .rsa(.sha224), .ecdsa(.sha224): return false
        case .pss(let parameters): return !parameters.needsOpenSSL
        case .rsa, .ecdsa, .ed25519, .broken, .unsupported: return true
        case .ed448: return false
        }
    }

    private var alternativeNames: [GeneralName] { parsed.alternativeNames.value ?? [] }

    private var hasValidSerialNumber: Bool {
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

    /// Whether the extended key usage is critical and contains nothing else, if it contains time stamping.
    private var hasTimeStampingPurposes: Bool {
        guard let purposes = parsed.extendedKeyUsage.value, purposes.contains(.timeStamping) else { return true }
        return purposes.count == 1 && parsed.extendedKeyUsage.isCritical == true
    }

    /// Whether a root's authority key identifier is correct; it may be absent (section 7.1.2.1.2).
    private var hasRootKeyIdentifier: Bool {
        guard parsed.authorityKey.isPresent else { return true }
        guard let identifier = parsed.authorityKey.value, let key = identifier.keyIdentifier else { return false }
        return identifier.authorityCertIssuer == nil && identifier.authorityCertSerialNumber == nil
            && key == parsed.subjectKey.value
    }

    private var hasValidAuthorityInformation: Bool {
        encoded.found(ExtensionNumber.authorityInformation)?.isAuthorityInformation ?? true
    }

    private var hasAlternativeCommonNames: Bool {
        var outer = DERReader(parsed.fields.subject)
        var relativeNames = outer.enter(DERTag.sequence)
        while var attributes = relativeNames?.enter(DERTag.set) {
            while var attribute = attributes.enter(DERTag.sequence) {
                guard attribute.next()?.content.elementsEqual(Self.commonName) == true, let value = attribute.next()
                else { continue }
                guard let name = value.text, isAlternativeName(name) else { return false }
            }
        }
        return true
    }

    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    /// Returns whether a common name is an alternative name; two common deviations
    /// are accepted, because no client reads the common name: the domain of a
    /// wildcard, and a host name if the alternative names contain only addresses.
    private func isAlternativeName(_ commonName: String) -> Bool {
        let isNamed = alternativeNames.contains { name in
            switch name {
            case .dnsName(let name):
                // For texts of equal length, one of which is ASCII, this compares the bytes.
                name.utf8.count == commonName.utf8.count && name == commonName
                    || name.utf8.starts(with: "*.".utf8) && name.utf8.dropFirst(2).elementsEqual(commonName.utf8)
            case .ipAddress(let octets):
                [4, 16].contains(octets.bytes.count) && IPAddressText.text(of: octets.bytes) == commonName
            // An email address or another name of a client.
            default: name.mailboxOrURI == commonName
            }
        }
        return isNamed
            || !alternativeNames.contains(where: \.isDNSName) && (try? HostName(commonName))?.isAddress == false
    }
}

extension GeneralName {
    /// Whether a name of a type that has to be ASCII is ASCII.
    var isASCII: Bool {
        switch self {
        case .dnsName(let text), .rfc822Name(let text), .uniformResourceIdentifier(let text):
            text.utf8.allSatisfy { $0 < 0x80 }
        default: true
        }
    }

    fileprivate var mailboxOrURI: String? {
        switch self {
        case .rfc822Name(let text), .uniformResourceIdentifier(let text): text
        default: nil
        }
    }

    fileprivate var isDNSName: Bool {
        if case .dnsName = self { true } else { false }
    }

    /// Whether a DNS name consists of labels of letters, digits
    /// and hyphens, with an optional wildcard as the first label.
    var hasPreferredSyntax: Bool {
        guard case .dnsName(let name) = self else { return true }
        if name.utf8.withContiguousStorageIfAvailable(Self.isPlainHost) == true { return true }
        let isWildcard = name.utf8.starts(with: "*.".utf8)
        let bare = isWildcard ? String(name.dropFirst(2)) : name
        guard let host = try? HostName(bare), !host.isAddress else { return false }
        return !name.hasSuffix(".") && !name.utf8.contains(UInt8(ascii: "_"))
    }

    /// Returns whether a name is certainly a host name or a wildcard, as most are; the other names are parsed as
    /// `HostName`.
    ///
    /// The labels must consist of letters, digits and inner hyphens. The
    /// last label must begin with a letter, which excludes addresses.
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

extension EncodingDeviations {
    /// The form rules that forbid the deviations.
    fileprivate var brokenRules: [TrustFailure.Rule] {
        guard !isEmpty else { return [] }
        let rules: [(Self, TrustFailure.Rule)] = [
            (.canonicalEncoding, .canonicalEncoding), (.emptySequences, .emptySequences),
            (.keyUsageEncoding, .keyUsageEncoding), (.pathLengthWithoutAuthority, .pathLengthWithoutAuthority),
            (.nameConstraintSyntax, .nameConstraintSyntax), (.duplicatePolicies, .duplicatePolicies),
        ]
        return rules.filter { contains($0.0) }.map(\.1)
    }
}

extension ParsedCertificate {
    /// Returns the form rules that the certificate breaks in its position, computed once.
    func brokenRules(asLeaf isLeaf: Bool) -> FormRules {
        broken.withLock { broken in
            if let known = isLeaf ? broken.asLeaf : broken.asIssuer { return FormRules(bits: known) }
            let rules = ConformanceCheck.brokenRules(self, isLeaf: isLeaf)
            if isLeaf { broken.asLeaf = rules.bits } else { broken.asIssuer = rules.bits }
            return rules
        }
    }
}
