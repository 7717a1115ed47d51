// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation
import SwiftASN1
package import X509

/// The requirements that a path must meet; the defaults are those of a Web server.
package struct PathRequirements: Hashable, Sendable {
    /// The key usages required of the leaf, if it has the key usage extension.
    package enum KeyUse: Hashable, Sendable {
        case anything
        /// One of these key usages.
        case some(KeyUsage)
        /// All of these key usages.
        case every(KeyUsage)

        /// One of the key usages with which TLS proves possession of a key.
        package static let handshake = some(
            KeyUsage(digitalSignature: true, keyEncipherment: true, keyAgreement: true))
    }

    /// The purpose of the path, which determines the applicable form rules and the terms of explanations.
    package let purpose: TrustPolicy.Purpose
    /// The extended key usages, all of which each certificate in the path must have if it has the extension.
    package var purposes: Set<ExtendedKeyUsage.Usage>
    /// Whether the leaf must have the extended key usages explicitly, so that neither a missing extension nor
    /// anyExtendedKeyUsage suffices.
    var needsExplicitPurposes = false
    package var keyUse: KeyUse
    /// The maximum number of authorities between leaf and anchor, not counting self-issued ones.
    package var maximumDepth: Int?
    /// The signature algorithms allowed in the path; `nil` allows all except the forgeable ones.
    package var signatureAlgorithms: Set<Certificate.SignatureAlgorithm>?
    /// The form rules; `nil` applies those of the anchor's profile.
    package var rules: RuleSet?
    /// The weaknesses that a path may have.
    package var acceptedWeaknesses: Set<TrustPolicy.Weakness> = []

    /// Makes the requirements of a server, or of a client if the only extended key usage is client authentication.
    package init(
        purposes: Set<ExtendedKeyUsage.Usage> = [.serverAuth], keyUse: KeyUse = .handshake, maximumDepth: Int? = nil
    ) {
        purpose = purposes == [.clientAuth] ? .client : .server
        self.purposes = purposes
        self.keyUse = keyUse
        self.maximumDepth = maximumDepth
    }

    /// Makes the requirements of a purpose.
    package init(for purpose: TrustPolicy.Purpose) {
        self.purpose = purpose
        purposes = Set([purpose.usage].compactMap(\.self))
        keyUse = purpose.keyUse
        // Code signing: CA/Browser Forum, Code Signing Baseline Requirements section 7.1.2.3, and OpenSSL 3.2. Time
        // stamping: RFC 3161 section 2.3.
        needsExplicitPurposes = purpose == .codeSigning || purpose == .timeStamping
    }
}

extension TrustPolicy.Purpose {
    /// The extended key usage (RFC 5280 section 4.2.1.12); `nil` for ``any``.
    var usage: ExtendedKeyUsage.Usage? {
        switch self {
        case .server: .serverAuth
        case .client: .clientAuth
        case .email: .emailProtection
        case .codeSigning: .codeSigning
        case .timeStamping: .timeStamping
        case .any: nil
        }
    }

    /// The key usages, one of which the leaf needs (RFC 5280 section 4.2.1.12, RFC 8550 section 4.4.2, RFC 3161 section
    /// 2.3).
    fileprivate var keyUse: PathRequirements.KeyUse {
        switch self {
        case .server, .client: .handshake
        case .email:
            .some(
                KeyUsage(
                    digitalSignature: true, nonRepudiation: true, keyEncipherment: true, keyAgreement: true))
        case .codeSigning: .some(KeyUsage(digitalSignature: true))
        case .timeStamping: .some(KeyUsage(digitalSignature: true, nonRepudiation: true))
        case .any: .anything
        }
    }
}

/// The checks of a certificate as an issuer, except its validity period (RFC 5280 section 6.1.4).
enum AuthorityChecks {
    // The path contains the certificates below the authority, leaf first.
    static func check(
        _ authority: ParsedCertificate, above path: [ParsedCertificate], for requirements: PathRequirements,
        isAnchor: Bool
    ) throws(TrustFailure) {
        try CriticalExtensionsCheck.check(authority)
        try AlgorithmCheck.checkKey(of: authority, for: requirements)
        try checkConstraints(authority, above: path, requirements, isAnchor: isAnchor)
        let keyUsage = try authority.require(authority.keyUsage)
        if let keyUsage, !keyUsage.keyCertSign {
            throw .keyUsage(authority.summary, needed: ["keyCertSign"], found: keyUsage.names)
        }
        try LeafChecks.checkPurpose(authority, requirements)
    }

    private static func checkConstraints(
        _ authority: ParsedCertificate, above path: [ParsedCertificate], _ requirements: PathRequirements,
        isAnchor: Bool
    ) throws(TrustFailure) {
        let limit: Int?
        switch try authority.require(authority.basicConstraints) {
        case .isCertificateAuthority(maxPathLength: let length): limit = length
        // The profile decides whether an anchor may lack the constraints (``TrustFailure/Rule``).
        case nil where isAnchor && authority.isAuthorityWithoutConstraints: limit = nil
        case .notCertificateAuthority, nil: throw .notAnAuthority(authority.summary)
        }
        // Self-issued certificates, such as those for a key rollover, do not count (section 6.1.4 step l).
        let found = path.dropFirst().count { !$0.isSelfIssued }
        let allowed = min(limit ?? .max, requirements.maximumDepth ?? .max)
        guard found > allowed else { return }
        throw .pathTooLong(authority.summary, allowed: allowed, found: found)
    }
}

extension ParsedCertificate {
    /// Whether a certificate without basic constraints can be an anchor: it is a root of the versions that have no
    /// extensions (RFC 5280 section 6.1.4 k), or its key usage states that it signs certificates.
    fileprivate var isAuthorityWithoutConstraints: Bool {
        encoded.version < 3 && isSelfIssued || keyUsage.value?.keyCertSign == true
    }
}

/// The checks of a leaf certificate that do not depend on its issuer.
enum LeafChecks {
    /// Returns the failures of all checks, so that the user learns of all of them at once.
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
        try AlgorithmCheck.checkKey(of: leaf, for: requirements)
        _ = try leaf.require(leaf.basicConstraints)
        let keyUsage = try leaf.require(leaf.keyUsage)
        if let keyUsage, !requirements.keyUse.isAllowed(by: keyUsage) {
            throw .keyUsage(leaf.summary, needed: requirements.keyUse.names, found: keyUsage.names)
        }
        try checkPurpose(leaf, requirements, isExplicit: requirements.needsExplicitPurposes)
    }

    /// Checks the extended key usage; without the extension, every purpose is allowed (RFC 5280 section 4.2.1.12) unless
    /// it must be explicit.
    ///
    /// The purposes of Netscape's and Microsoft's server-gated cryptography do not replace server authentication.
    static func checkPurpose(
        _ certificate: ParsedCertificate, _ requirements: PathRequirements, isExplicit: Bool = false
    ) throws(TrustFailure) {
        let stated = try certificate.require(certificate.extendedKeyUsage)
        let purposes = certificate.trust?.trusted.map(Array.init) ?? stated.map(Array.init)
        // Every certificate has a purpose, unless its settings reject all.
        let needed = requirements.purposes.isEmpty ? [.any] : requirements.purposes
        if let trust = certificate.trust, needed.contains(where: trust.rejects) {
            let rejected = (trust.rejected.map(Array.init) ?? []).map { "\($0)".printable }
            let found = purposes?.filter { !trust.rejects($0) }.map { "\($0)".printable }
            throw .extendedKeyUsage(
                certificate.summary, needed: needed.map { "\($0)".printable }.sorted(),
                found: found ?? ["every purpose except " + rejected.joined(separator: " and ")])
        }
        if requirements.purposes.isEmpty || !isExplicit && purposes?.contains(.any) ?? true {
            return
        }
        guard !needed.allSatisfy({ purposes?.contains($0) ?? false }) else { return }
        throw .extendedKeyUsage(
            certificate.summary, needed: needed.map { "\($0)".printable }.sorted(),
            found: purposes?.map { "\($0)".printable } ?? [])
    }

    static func names(_ leaf: ParsedCertificate, _ peer: PeerName) throws(TrustFailure) {
        guard let names = try leaf.require(leaf.alternativeNames), !names.isEmpty else {
            throw .noSubjectAlternativeNames(leaf.summary)
        }
        guard HostNameMatching.matches(names, peer) else {
            throw .hostMismatch(
                host: peer.text, presented: names.compactMap { peer.isMailbox ? $0.mailboxText : $0.hostText })
        }
    }
}

extension GeneralName {
    fileprivate var hostText: String? {
        switch self {
        case .dnsName(let name):
            (try? HostName(name))?.isAddress == true ? "\(name.printable) as a DNS name" : name.printable
        case .ipAddress(let octets) where [4, 16].contains(octets.bytes.count): IPAddressText.text(of: octets.bytes)
        default: nil
        }
    }

    fileprivate var mailboxText: String? { Mailbox(self)?.text.printable }
}

extension PeerName {
    fileprivate var isMailbox: Bool {
        switch self {
        case .host: false
        case .mailbox: true
        case .anyOf(let peers): peers.contains(where: \.isMailbox)
        }
    }
}

extension PathRequirements.KeyUse {
    fileprivate func isAllowed(by usage: KeyUsage) -> Bool {
        switch self {
        case .anything: true
        case .some(let allowed): allowed.names.contains(where: usage.names.contains)
        case .every(let wanted): wanted.names.allSatisfy(usage.names.contains)
        }
    }

    fileprivate var names: [String] {
        switch self {
        case .anything: []
        case .some(let wanted), .every(let wanted): wanted.names
        }
    }
}

extension KeyUsage {
    /// The names of the set bits, as in RFC 5280 section 4.2.1.3.
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

/// Rejects unsupported and forgeable signature algorithms, and unsupported and weak keys.
enum AlgorithmCheck {
    static func checkSignature(
        of certificate: ParsedCertificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        let algorithm = certificate.algorithm
        if let weakness = algorithm.weakness, !algorithm.isAccepted(with: requirements.acceptedWeaknesses) {
            throw .weakSignature(certificate.summary, weakness)
        }
        if let limitation = algorithm.limitation {
            throw .unsupportedSignatureAlgorithm(certificate.summary, limitation)
        }
        guard let allowed = requirements.signatureAlgorithms else { return }
        guard let algorithm = certificate.algorithm.typed, allowed.contains(algorithm) else {
            throw .weakSignature(
                certificate.summary, certificate.algorithm.typed.map { "\($0)" } ?? certificate.algorithm.name)
        }
    }

    static func checkKey(
        of certificate: ParsedCertificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        if let bits = certificate.rsaSize, RSAKeySize.isWeak(bits, for: requirements.acceptedWeaknesses) {
            throw .weakKey(certificate.summary, bits: bits)
        }
        if let limitation = certificate.key?.limitation { throw .unsupportedKey(certificate.summary, limitation) }
    }

    /// Returns a remark for each weakness of a path that passed the checks, leaf first; the signature of an anchor does
    /// not matter.
    static func remarks(on path: [ParsedCertificate]) -> [Verdict.Remark] {
        path.enumerated().flatMap { index, certificate -> [Verdict.Remark] in
            var remarks: [Verdict.Remark] = []
            if index < path.count - 1, let weakness = certificate.algorithm.weakness {
                remarks.append(.weakSignatureAccepted(certificate.summary, weakness))
            }
            if let bits = certificate.rsaSize, bits < RSAKeySize.smallest {
                remarks.append(.weakKeyAccepted(certificate.summary, bits: bits))
            }
            return remarks
        }
    }
}

extension CertificateSignatureAlgorithm {
    /// Returns whether the algorithm has no weakness except accepted ones.
    func isAccepted(with weaknesses: Set<TrustPolicy.Weakness>) -> Bool {
        guard weakness != nil else { return true }
        if case .broken = self { return false }
        return weaknesses.contains(.sha1)
    }
}

extension RSAKeySize {
    /// Returns whether a policy that accepts the given weaknesses rejects a key.
    static func isWeak(_ bits: Int, for weaknesses: Set<TrustPolicy.Weakness>) -> Bool {
        bits < smallest && (bits < smallestAcceptable || !weaknesses.contains(.rsa1024))
    }
}

/// Rejects a certificate with an unprocessed critical extension (RFC 5280 section 4.2).
private enum CriticalExtensionsCheck {
    static func check(_ certificate: ParsedCertificate) throws(TrustFailure) {
        if let unknown = certificate.unprocessedCriticalExtension {
            throw .unknownCriticalExtension(certificate.summary, unknown)
        }
        // The only supported TLS feature is the OCSP response.
        let features = try certificate.require(certificate.features) ?? []
        guard certificate.features.isCritical == true, !features.isSubset(of: [TLSFeatures.statusRequest]) else {
            return
        }
        throw .unknownCriticalExtension(certificate.summary, "\(certificate.features.identifier)")
    }
}

/// Checks the validity period, including both ends (RFC 5280 section 4.1.2.5).
enum ValidityCheck {
    static func check(_ certificate: ParsedCertificate, at time: Date) throws(TrustFailure) {
        guard certificate.notBefore <= time else { throw .notYetValid(certificate.summary, at: time) }
        // The end has a resolution of one second, and that second is still valid.
        guard time < certificate.notAfter + 1 else { throw .expired(certificate.summary, at: time) }
    }
}
