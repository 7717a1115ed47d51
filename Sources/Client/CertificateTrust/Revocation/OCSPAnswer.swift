// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a response says of one certificate (RFC 6960 section 4.2.1, SingleResponse).
struct OCSPAnswer: Hashable, Sendable {
    enum Status: Hashable {
        case good
        case revoked(at: Date?, reason: RevocationReason)
        case unknown
    }

    let certificateID: OCSPCertificateID
    let status: Status
    let thisUpdate: Date
    let nextUpdate: Date?
    let extensions: [EncodedExtension]
    /// Whether all of it is as DER and the standard have it.
    let isFormal: Bool

    /// Until when it holds.
    var until: Date { RevocationDates.end(thisUpdate: thisUpdate, nextUpdate: nextUpdate) }

    init(_ fields: DERReader) throws(RevocationEncodingError) {
        var (fields, isFormal) = (fields, true)
        certificateID = try OCSPCertificateID(from: &fields)
        status = try Self.status(from: &fields, &isFormal)
        thisUpdate = try fields.takeTime(isGeneralized: true, &isFormal)
        if var tagged = try fields.openIfPresent(DERTag.constructed(0), .time) {
            nextUpdate = try? tagged.takeTime(isGeneralized: true, &isFormal)
            if nextUpdate == nil || !tagged.isAtEnd { isFormal = false }
        } else {
            nextUpdate = nil
        }
        extensions = try EncodedExtension.all(tagged: 1, in: &fields, &isFormal)
        if let nextUpdate, nextUpdate < thisUpdate { isFormal = false }
        self.isFormal = isFormal && fields.isAtEnd
    }

    private static func status(
        from fields: inout DERReader, _ isFormal: inout Bool
    ) throws(RevocationEncodingError) -> Status {
        guard let element = fields.next() else { throw .malformed(.status) }
        switch element.tag {
        case DERTag.primitive(0) where element.content.isEmpty: return .good
        case DERTag.primitive(2) where element.content.isEmpty: return .unknown
        case DERTag.constructed(1): return revocation(DERReader(element.content), &isFormal)
        default: throw .malformed(.status)
        }
    }

    /// A time and a reason that cannot be read leave the revocation.
    private static func revocation(_ fields: DERReader, _ isFormal: inout Bool) -> Status {
        var fields = fields
        let time = try? fields.takeTime(isGeneralized: true, &isFormal)
        var reason: RevocationReason? = .unspecified
        if !fields.isAtEnd {
            var tagged = fields.enter(DERTag.constructed(0))
            let codes = (try? tagged?.only(DERTag.enumerated, .status))?.content ?? []
            reason = codes.count == 1 ? codes.first.flatMap(RevocationReason.init(code:)) : nil
        }
        if time == nil || reason == nil || !fields.isAtEnd { isFormal = false }
        return .revoked(at: time, reason: reason ?? .unspecified)
    }
}
