// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
package import SwiftASN1

/// What responders know a certificate by (RFC 6960 section 4.1.1): hashes of the issuer's name and key,
/// and the serial number.
package struct OCSPCertificateID: Hashable, Sendable {
    /// SHA-1 stands here for a name, not for a proof; RFC 5019 section 2.1.1 has no other.
    package enum Hash: CaseIterable {
        case sha1
        case sha256

        var identifier: [UInt8] {
            switch self {
            case .sha1: [0x2b, 0x0e, 0x03, 0x02, 0x1a]
            case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            }
        }

        package var objectIdentifier: ASN1ObjectIdentifier {
            switch self {
            case .sha1: [1, 3, 14, 3, 2, 26]
            case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
            }
        }

        package func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            }
        }
    }

    /// `nil` for one that is not known.
    let hash: Hash?
    let issuerNameHash: [UInt8]
    let issuerKeyHash: [UInt8]
    let serialNumber: [UInt8]

    init(_ subject: RevocationSubject, hash: Hash) {
        self.hash = hash
        issuerNameHash = hash.digest(subject.issuerName)
        issuerKeyHash = hash.digest(subject.issuerKey)
        serialNumber = Array(subject.serialNumber)
    }

    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        var fields = try reader.open(DERTag.sequence, .certificateID)
        var algorithm = try fields.open(DERTag.sequence, .certificateID)
        let identifier = try algorithm.take(DERTag.objectIdentifier, .certificateID).content
        if let parameters = try algorithm.takeIfPresent(DERTag.null, .certificateID), !parameters.content.isEmpty {
            throw .malformed(.certificateID)
        }
        try algorithm.finish(.certificateID)
        hash = Hash.allCases.first { $0.identifier.elementsEqual(identifier) }
        issuerNameHash = Array(try fields.take(DERTag.octetString, .certificateID).content)
        issuerKeyHash = Array(try fields.take(DERTag.octetString, .certificateID).content)
        serialNumber = Array(try fields.takeInteger(DERTag.integer, .certificateID))
        try fields.finish(.certificateID)
    }

    static func isEqual(_ one: Self, to subject: RevocationSubject) -> Bool {
        one.hash.map { one == OCSPCertificateID(subject, hash: $0) } ?? false
    }
}
