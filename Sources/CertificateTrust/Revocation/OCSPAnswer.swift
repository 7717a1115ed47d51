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
        case revoked(at: Date, reason: RevocationReason)
        case unknown
    }

    let certificateID: OCSPCertificateID
    let status: Status
    let thisUpdate: Date
    let nextUpdate: Date?
    let extensions: [EncodedExtension]

    /// Until when it holds.
    var until: Date { RevocationDates.end(thisUpdate: thisUpdate, nextUpdate: nextUpdate) }

    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        var fields = try reader.open(DERTag.sequence, .structure)
        certificateID = try OCSPCertificateID(from: &fields)
        status = try Self.status(from: &fields)
        thisUpdate = try fields.takeGeneralizedTime()
        if var tagged = try fields.openIfPresent(DERTag.constructed(0), .time) {
            nextUpdate = try tagged.takeGeneralizedTime()
            try tagged.finish(.time)
        } else {
            nextUpdate = nil
        }
        extensions = try EncodedExtension.all(tagged: 1, in: &fields)
        try fields.finish(.structure)
    }

    private static func status(from fields: inout DERReader) throws(RevocationEncodingError) -> Status {
        guard let element = fields.next() else { throw .malformed(.status) }
        switch element.tag {
        case DERTag.primitive(0) where element.content.isEmpty: return .good
        case DERTag.primitive(2) where element.content.isEmpty: return .unknown
        case DERTag.constructed(1): return try revocation(DERReader(element.content))
        default: throw .malformed(.status)
        }
    }

    private static func revocation(_ fields: DERReader) throws(RevocationEncodingError) -> Status {
        var fields = fields
        let time = try fields.takeGeneralizedTime()
        guard var tagged = try fields.openIfPresent(DERTag.constructed(0), .status) else {
            try fields.finish(.status)
            return .revoked(at: time, reason: .unspecified)
        }
        try fields.finish(.status)
        let code = try tagged.only(DERTag.enumerated, .status).content
        guard code.count == 1, let reason = code.first.flatMap(RevocationReason.init(code:)) else {
            throw .malformed(.status)
        }
        return .revoked(at: time, reason: reason)
    }
}
