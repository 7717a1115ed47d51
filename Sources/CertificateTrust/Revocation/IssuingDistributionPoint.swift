// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Which certificates of its issuer a list is for (RFC 5280 section 5.2.5).
struct IssuingDistributionPoint {
    private let name: DistributionPointName?
    private let onlyUserCertificates: Bool
    private let onlyAuthorityCertificates: Bool
    private let onlySomeReasons: Bool
    private let isIndirect: Bool
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
        onlySomeReasons = try fields.takeIfPresent(DERTag.primitive(3), .extensions) != nil
        isIndirect = try fields.takeFlag(DERTag.primitive(4), .extensions)
        onlyAttributeCertificates = try fields.takeFlag(DERTag.primitive(5), .extensions)
        try fields.finish(.extensions)
        let kinds = [onlyUserCertificates, onlyAuthorityCertificates, onlyAttributeCertificates]
        guard kinds.count(where: \.self) <= 1 else { throw .malformed(.extensions) }
    }

    func check(_ subject: RevocationSubject) throws(RevocationProblem) {
        guard !isIndirect else { throw .indirectList }
        guard !onlySomeReasons else { throw .partialList }
        guard !onlyAttributeCertificates else { throw .attributeList }
        guard !(subject.isAuthority ? onlyUserCertificates : onlyAuthorityCertificates) else { throw .wrongScope }
        try checkName(subject)
    }

    /// A list for one place is for the certificates that name the place; one for the issuer's own is for all.
    private func checkName(_ subject: RevocationSubject) throws(RevocationProblem) {
        guard let name, !name.agrees(with: DistributionPointName(issuer: subject.certificate.issuer)) else { return }
        // Those with an issuer of their own are for indirect lists (section 6.3.3 step b 1).
        let agreeing = subject.distributionPoints.filter { point in
            !point.isIndirect && (point.name.map(name.agrees) ?? false)
        }
        guard !agreeing.isEmpty else { throw .wrongScope }
        guard agreeing.contains(where: { !$0.isPartial }) else { throw .partialList }
    }
}
