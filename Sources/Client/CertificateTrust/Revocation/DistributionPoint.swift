// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// A distribution point in a certificate (RFC 5280 section 4.2.1.13).
struct DistributionPoint: Hashable, Sendable {
    /// The maximum number of distribution points; real certificates have one or two.
    private static let limit = 32

    let name: DistributionPointName?
    /// The revocation reasons that the list at this point covers.
    let reasons: RevocationReasons
    /// The issuers of the list; empty if the certificate's issuer also issues the list.
    let listIssuers: [GeneralName]

    /// Reads the distribution points in the value of the extension CRLDistributionPoints.
    static func all(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) -> [DistributionPoint] {
        var outer = DERReader(value)
        var reader = DERReader(try outer.only(DERTag.sequence, .extensions).content)
        var all: [DistributionPoint] = []
        while !reader.rest.isEmpty, all.count < limit {
            all.append(try DistributionPoint(reader.open(DERTag.sequence, .extensions)))
        }
        return all
    }

    private init(_ fields: DERReader) throws(RevocationEncodingError) {
        var fields = fields
        name = try fields.openIfPresent(DERTag.constructed(0), .extensions).map(DistributionPointName.init)
        reasons = try fields.takeIfPresent(DERTag.primitive(1), .extensions).map(RevocationReasons.init) ?? .all
        let issuers = try fields.openIfPresent(DERTag.constructed(2), .extensions)
        listIssuers = try issuers.map(DistributionPointName.names) ?? []
        try fields.finish(.extensions)
    }

    /// Returns whether the point names a list issuer.
    func isListed(by issuer: NameKey) -> Bool {
        listIssuers.contains { DistributionPointName.Key($0) == .directory(issuer) }
    }
}

/// The name of a distribution point, in a list or a certificate (RFC 5280 section 4.2.1.13).
struct DistributionPointName: Hashable, Sendable {
    /// A name in a canonical form for comparison.
    enum Key: Hashable {
        case directory(NameKey)
        case other(GeneralName)

        init(_ name: GeneralName) {
            self = if case .directoryName(let name) = name { .directory(NameKey(name)) } else { .other(name) }
        }
    }

    /// The maximum number of names; real distribution points have one or two.
    private static let limit = 64

    let fullNames: [GeneralName]
    /// The name relative to that of the list's issuer.
    private let relativeName: RelativeDistinguishedName?

    /// Reads the content of the field distributionPoint.
    init(_ field: DERReader) throws(RevocationEncodingError) {
        var field = field
        if let relative = try field.takeIfPresent(DERTag.constructed(1), .extensions) {
            try field.finish(.extensions)
            relativeName = try RelativeDistinguishedName([DERTag.set] + relative.bytes.dropFirst(), .extensions)
            fullNames = []
            return
        }
        relativeName = nil
        fullNames = try Self.names(DERReader(field.only(DERTag.constructed(0), .extensions).content))
    }

    /// Reads GeneralNames, which must not be empty.
    static func names(_ reader: DERReader) throws(RevocationEncodingError) -> [GeneralName] {
        var reader = reader
        var names: [GeneralName] = []
        repeat {
            guard names.count < limit else { throw .tooMany(.extensions) }
            guard let name = reader.next() else { throw .malformed(.extensions) }
            names.append(try GeneralName(name.bytes, .extensions))
        } while !reader.rest.isEmpty
        return names
    }

    /// Returns the names of the point; two points are the same if they have a name in common (RFC 5280 section 6.3.3
    /// step b 2 i).
    ///
    /// - Parameter issuer: The issuer of the list.
    /// - Returns: The names in a canonical form for comparison.
    func keys(of issuer: DistinguishedName) -> Set<Key> {
        guard let relativeName else { return Set(fullNames.map(Key.init)) }
        return [.directory(NameKey(DistinguishedName(Array(issuer) + [relativeName])))]
    }
}

/// The issuing distribution point of a list, which states the certificates covered (RFC 5280 section 5.2.5).
struct IssuingDistributionPoint {
    private let name: DistributionPointName?
    private let onlyUserCertificates: Bool
    private let onlyAuthorityCertificates: Bool
    private let reasons: RevocationReasons
    /// Whether the list may contain certificates of other issuers.
    let isIndirect: Bool
    private let onlyAttributeCertificates: Bool

    init(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(value)
        var fields = DERReader(try outer.only(DERTag.sequence, .extensions).content)
        // An empty sequence is not allowed.
        guard !fields.rest.isEmpty else { throw .malformed(.extensions) }
        name = try fields.openIfPresent(DERTag.constructed(0), .extensions).map(DistributionPointName.init)
        onlyUserCertificates = try fields.takeFlag(DERTag.primitive(1), .extensions)
        onlyAuthorityCertificates = try fields.takeFlag(DERTag.primitive(2), .extensions)
        reasons = try fields.takeIfPresent(DERTag.primitive(3), .extensions).map(RevocationReasons.init) ?? .all
        isIndirect = try fields.takeFlag(DERTag.primitive(4), .extensions)
        onlyAttributeCertificates = try fields.takeFlag(DERTag.primitive(5), .extensions)
        try fields.finish(.extensions)
        let kinds = [onlyUserCertificates, onlyAuthorityCertificates, onlyAttributeCertificates]
        guard kinds.count(where: \.self) <= 1 else { throw .malformed(.extensions) }
    }

    /// Returns the revocation reasons that the list covers for a certificate (RFC 5280 section 6.3.3 steps b and d).
    ///
    /// - Parameters:
    ///   - subject: The certificate.
    ///   - issuer: The issuer of the list.
    /// - Returns: The reasons; empty if the certificate's distribution points and the list have no reason in common.
    /// - Throws: ``RevocationProblem`` if the list is for other certificates.
    func reasons(for subject: RevocationSubject, in issuer: DistinguishedName) throws(RevocationProblem)
        -> RevocationReasons
    {
        guard !onlyAttributeCertificates else { throw .attributeList }
        guard !(subject.isAuthority ? onlyUserCertificates : onlyAuthorityCertificates) else { throw .wrongScope }
        let covered = pointReasons(for: subject, in: issuer)
        guard !covered.isEmpty else { throw .wrongScope }
        return covered.intersection(reasons)
    }

    /// Returns the reasons of the matching distribution points; a list of the certificate's issuer without a particular
    /// point covers all reasons.
    private func pointReasons(for subject: RevocationSubject, in issuer: DistinguishedName) -> RevocationReasons {
        let (listIssuer, owner) = (NameKey(issuer), subject.certificate.issuer)
        let keys = name?.keys(of: issuer)
        if listIssuer == owner, keys?.contains(.directory(owner)) ?? true { return .all }
        let points = subject.distributionPoints.filter { point in
            // A list that contains certificates of several issuers must be marked as indirect (step b 1).
            guard point.listIssuers.isEmpty ? listIssuer == owner : isIndirect && point.isListed(by: listIssuer) else {
                return false
            }
            guard let keys else { return true }
            let pointKeys = point.name?.keys(of: issuer) ?? Set(point.listIssuers.map(DistributionPointName.Key.init))
            return !keys.isDisjoint(with: pointKeys)
        }
        return points.reduce(into: []) { $0.formUnion($1.reasons) }
    }
}

/// The revocation reasons that a list covers (RFC 5280 section 4.2.1.13).
struct RevocationReasons: OptionSet, Hashable, Sendable {
    /// The named bits of ReasonFlags, the first one in the lowest bit.
    let rawValue: UInt16

    /// All reasons; the first bit is unused.
    static let all = RevocationReasons(rawValue: 0b1_1111_1110)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Reads a BIT STRING.
    init(_ element: DERReader.Element) throws(RevocationEncodingError) {
        let content = element.content
        guard let unused = content.first, unused < 8, (2...3).contains(content.count) else {
            throw .malformed(.extensions)
        }
        var value: UInt16 = 0
        for (position, byte) in content.dropFirst().enumerated() {
            let used = position == content.count - 2 ? 8 - Int(unused) : 8
            for bit in 0..<used where byte & 0x80 >> bit != 0 { value |= 1 << UInt16(position * 8 + bit) }
        }
        self = RevocationReasons(rawValue: value).intersection(.all)
    }
}
