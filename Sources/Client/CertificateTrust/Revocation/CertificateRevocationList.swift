// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import EssentialFoundation
public import X509

/// A certificate revocation list (RFC 5280 section 5), parsed but not yet verified.
public struct CertificateRevocationList: Hashable, Sendable {
    private static let label = "X509 CRL"
    private static let version2: [UInt8] = [1]

    /// The original bytes of the list.
    public let derBytes: [UInt8]
    /// The source of the list, which equality ignores.
    public var origin = EvidenceOrigin.caller
    /// The issuer of the list, and of the certificates that it revokes unless the list is indirect.
    public let issuer: DistinguishedName
    /// The time at which the list was issued.
    public let thisUpdate: Date
    /// The time by which the issuer publishes the next list; `nil` if the list states none.
    public let nextUpdate: Date?
    /// The issuer in a canonical form for comparison.
    let issuerKey: NameKey
    let signed: SignedObject
    let isVersion2: Bool
    /// Whether the list conforms to DER and the standard; otherwise it cannot show that a certificate is good.
    let isConforming: Bool
    let entries: RevokedEntries
    let extensions: [EncodedExtension]

    /// Reads a list in one pass over its entries.
    ///
    /// Formal errors, such as extensions in version 1, are tolerated if the entries are readable, because such a list
    /// can still show that a certificate is revoked.
    ///
    /// - Parameter derEncoded: The list in DER, without trailing bytes.
    /// - Throws: ``RevocationEncodingError`` if the entries cannot be read, or the list has too many extensions.
    public init(derEncoded: [UInt8]) throws(RevocationEncodingError) {
        derBytes = derEncoded
        var outer = DERReader(derEncoded[...])
        var parts = try outer.open(DERTag.sequence, .structure)
        try outer.finish(.structure)
        signed = try SignedObject(from: &parts)
        try parts.finish(.structure)
        var signedReader = DERReader(signed.signedBytes)
        var fields = try signedReader.open(DERTag.sequence, .structure)

        var isConforming = true
        isVersion2 = fields.rest.first == DERTag.integer
        if isVersion2, try !fields.take(DERTag.integer, .version).content.elementsEqual(Self.version2) {
            isConforming = false
        }
        // The signed part must name the same algorithm (section 5.1.1.2).
        if try fields.take(DERTag.sequence, .algorithm).bytes != signed.algorithm { isConforming = false }
        let encodedIssuer = try fields.take(DERTag.sequence, .issuer).bytes
        (issuer, issuerKey) = (try DistinguishedName(encodedIssuer, .issuer), NameKey(encodedIssuer))
        thisUpdate = try fields.takeTime(&isConforming)
        let hasNext = [DERTag.utcTime, DERTag.generalizedTime].contains(fields.rest.first)
        nextUpdate = hasNext ? try? fields.takeTime(&isConforming) : nil
        entries = try RevokedEntries(fields.takeIfPresent(DERTag.sequence, .entry)?.content ?? [])
        extensions = try EncodedExtension.all(tagged: 0, in: &fields, &isConforming)
        if let nextUpdate, nextUpdate < thisUpdate { isConforming = false }
        if !isVersion2, !extensions.isEmpty || entries.hasExtensions { isConforming = false }
        self.isConforming = isConforming && entries.isConforming && fields.isAtEnd
    }

    /// Reads a list from PEM.
    ///
    /// - Parameter pemEncoded: A block with the label `X509 CRL` (RFC 7468 section 6).
    /// - Throws: ``RevocationEncodingError/notPEM`` if there is no such block, and the errors of ``init(derEncoded:)``.
    public init(pemEncoded: String) throws(RevocationEncodingError) {
        try self.init(derEncoded: Self.blocks(in: Array(pemEncoded.utf8))[0])
    }

    /// Returns the lists in a PEM text, each encoded in DER; at least one.
    private static func blocks(in text: [UInt8]) throws(RevocationEncodingError) -> [[UInt8]] {
        let blocks = PEMBlock.contents(labeled: [label], in: text)
        guard !blocks.isEmpty, !blocks.contains(where: { $0?.isEmpty ?? true }) else { throw .notPEM }
        return blocks.compactMap(\.self)
    }

    /// Returns whether the bytes of two lists are equal.
    public static func == (one: Self, two: Self) -> Bool { one.derBytes == two.derBytes }

    /// Hashes the signature; equality compares all bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(signed.signature)
    }
}

/// The checks of a single list (RFC 5280 sections 5.2 and 6.3.3).
extension CertificateRevocationList {
    private enum Number {
        static let listNumber: UInt8 = 20
        static let deltaIndicator: UInt8 = 27
        static let issuingDistributionPoint: UInt8 = 28
        static let authorityKeyIdentifier: UInt8 = 35
        static let freshestList: UInt8 = 46
    }

    /// Whether the list is a delta, which contains only the changes to a base list (section 5.2.4).
    var isDelta: Bool { value(Number.deltaIndicator) != nil }

    private func value(_ number: UInt8) -> EncodedExtension? {
        extensions.first { $0.number == number }
    }

    /// Returns the revocation reasons for which the list covers the certificate.
    ///
    /// - Returns: The reasons; an empty set and the fault if the list covers other certificates of the issuer, or does
    ///   not state which ones; `nil` if the certificate has another issuer and does not name the list's issuer.
    /// - Throws: ``RevocationProblem/attributeList``, because serial numbers are then those of attribute certificates.
    func scope(
        for subject: RevocationSubject
    ) throws(RevocationProblem) -> (reasons: RevocationReasons, fault: RevocationProblem?)? {
        let isOwn = issuerKey == subject.certificate.issuer
        guard isOwn || subject.distributionPoints.contains(where: { $0.isListed(by: issuerKey) }) else {
            return nil
        }
        do throws(RevocationProblem) {
            guard let point = try issuingPoint() else { return isOwn ? (.all, nil) : ([], .wrongScope) }
            return (try point.reasons(for: subject, in: issuer), nil)
        } catch .attributeList {
            throw .attributeList
        } catch {
            return ([], error)
        }
    }

    private func issuingPoint() throws(RevocationProblem) -> IssuingDistributionPoint? {
        guard let encoded = value(Number.issuingDistributionPoint) else { return nil }
        guard let point = try? IssuingDistributionPoint(encoded.value) else { throw .malformed }
        return point
    }

    /// Returns the first fault that prevents the list from showing that a certificate is good: it is malformed,
    /// unsupported or outdated.
    ///
    /// Its entries count anyway. X.509 requires this even for unknown critical extensions: a listed certificate is
    /// revoked, and the status of an unlisted one is unknown. RFC 5280 section 5.2 forbids using such a list, which
    /// would leave a revoked certificate trusted.
    func fault(at time: Date) -> RevocationProblem? {
        guard isConforming, isDelta || !entries.hasRemovals else { return .malformed }
        // All entries of a direct list have the list's issuer (section 5.2.5).
        if entries.isIndirect, (try? issuingPoint())?.isIndirect != true { return .malformed }
        let processed = [
            Number.listNumber, Number.issuingDistributionPoint, Number.authorityKeyIdentifier, Number.deltaIndicator,
            Number.freshestList,
        ]
        if let unknown = extensions.first(where: { $0.isCritical && !($0.number.map(processed.contains) ?? false) }) {
            return .unknownCriticalExtension(unknown.name)
        }
        if let unknown = entries.unknownCriticalExtension { return .unknownCriticalExtension(unknown) }
        if isVersion2, (try? number()) == nil { return .listNumber }
        guard let nextUpdate else { return .noNextUpdate }
        return nextUpdate < time ? .outdated : nil
    }

    /// Returns the CRL number, which must be present, not critical, positive, and at most 20 octets long (section
    /// 5.2.3).
    private func number() throws(RevocationProblem) -> [UInt8] {
        guard let number = value(Number.listNumber), !number.isCritical,
            let octets = Self.octets(number.value), octets.count <= 20
        else { throw .listNumber }
        return octets
    }

    /// Returns the octets of a positive integer.
    private static func octets(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var reader = DERReader(value)
        guard let content = try? reader.takeInteger(DERTag.integer, .extensions), reader.rest.isEmpty,
            let first = content.first, first < 0x80
        else { return nil }
        return Array(content)
    }

    /// Returns whether a delta applies to this list: it has the same issuer and scope, is based on this list or an
    /// earlier one, and is not older than this list (sections 5.2.4 and 6.3.3 step c).
    func isBase(of delta: CertificateRevocationList) -> Bool {
        guard let own = try? number(), let latest = try? delta.number(),
            let base = delta.base
        else { return false }
        return hasScope(of: delta) && !Self.isLess(own, base) && !Self.isLess(latest, own)
    }

    /// Returns whether another delta replaces this one: it is newer, and based on the same list or an earlier one.
    func isDeltaReplaced(by other: CertificateRevocationList) -> Bool {
        guard Self.isOlder(self, than: other), let base, let otherBase = other.base else { return false }
        return !Self.isLess(base, otherBase)
    }

    /// The number of the delta's base list.
    private var base: [UInt8]? { value(Number.deltaIndicator).flatMap { Self.octets($0.value) } }

    /// Returns whether two lists have the same issuer, scope and key.
    private func hasScope(of other: CertificateRevocationList) -> Bool {
        issuerKey == other.issuerKey
            && [Number.issuingDistributionPoint, Number.authorityKeyIdentifier].allSatisfy {
                value($0)?.value == other.value($0)?.value
            }
    }

    /// Returns whether another list with the same scope is newer.
    static func isOlder(_ one: CertificateRevocationList, than other: CertificateRevocationList) -> Bool {
        guard one.hasScope(of: other), let earlier = try? one.number(), let later = try? other.number() else {
            return false
        }
        return isLess(earlier, later)
    }

    /// Compares two numbers without leading zeros, as in DER.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }

    /// The identifier of the key that signed the list; `nil` if the list does not state it.
    var signingKey: ArraySlice<UInt8>? {
        guard let value = value(Number.authorityKeyIdentifier)?.value else { return nil }
        var outer = DERReader(value)
        guard var fields = outer.enter(DERTag.sequence), let first = fields.next(), first.tag == DERTag.primitive(0)
        else { return nil }
        return first.content
    }
}
