// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Which certificates a list is for (RFC 5280 section 5.2.5).
struct IssuingDistributionPoint {
    private let name: DistributionPointName?
    private let onlyUserCertificates: Bool
    private let onlyAuthorityCertificates: Bool
    private let reasons: RevocationReasons
    /// Whether it has certificates of other issuers too.
    let isIndirect: Bool
    private let onlyAttributeCertificates: Bool

    init(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        var outer = DERReader(value)
        var fields = DERReader(try outer.only(DERTag.sequence, .extensions).content)
        // An empty one is not allowed.
        guard !fields.rest.isEmpty else { throw .malformed(.extensions) }
        if let field = try fields.openIfPresent(DERTag.constructed(0), .extensions) {
            name = try DistributionPointName(field)
        } else {
            name = nil
        }
        onlyUserCertificates = try fields.takeFlag(DERTag.primitive(1), .extensions)
        onlyAuthorityCertificates = try fields.takeFlag(DERTag.primitive(2), .extensions)
        if let field = try fields.takeIfPresent(DERTag.primitive(3), .extensions) {
            reasons = try RevocationReasons(field.content)
        } else {
            reasons = .all
        }
        isIndirect = try fields.takeFlag(DERTag.primitive(4), .extensions)
        onlyAttributeCertificates = try fields.takeFlag(DERTag.primitive(5), .extensions)
        try fields.finish(.extensions)
        let kinds = [onlyUserCertificates, onlyAuthorityCertificates, onlyAttributeCertificates]
        guard kinds.count(where: \.self) <= 1 else { throw .malformed(.extensions) }
    }

    /// The reasons of a certificate's revocation that the list covers (RFC 5280 section 6.3.3 steps b and d).
    ///
    /// - Parameters:
    ///   - subject: The certificate.
    ///   - issuer: The issuer of the list.
    /// - Returns: None where the certificate's distribution points and the list are for different reasons.
    /// - Throws: ``RevocationProblem`` where the list is for other certificates.
    func reasons(for subject: RevocationSubject, in issuer: DistinguishedName) throws(RevocationProblem)
        -> RevocationReasons
    {
        guard !onlyAttributeCertificates else { throw .attributeList }
        guard !(subject.isAuthority ? onlyUserCertificates : onlyAuthorityCertificates) else { throw .wrongScope }
        let covered = pointReasons(for: subject, in: issuer)
        guard !covered.isEmpty else { throw .wrongScope }
        return covered.intersection(reasons)
    }

    /// A list for one place is for the certificates that name the place; one of the issuer's own is for all.
    private func pointReasons(for subject: RevocationSubject, in issuer: DistinguishedName) -> RevocationReasons {
        let (listIssuer, owner) = (NameKey(issuer), subject.certificate.issuer)
        let keys = name?.keys(of: issuer)
        if listIssuer == owner, keys?.contains(.directory(owner)) ?? true { return .all }
        let points = subject.distributionPoints.filter { point in
            // A list with certificates of several issuers says so (step b 1).
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
