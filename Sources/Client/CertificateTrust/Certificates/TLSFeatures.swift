// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// What a server has to answer a handshake with (RFC 7633).
enum TLSFeatures {
    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 24]
    /// The TLS extension status_request.
    static let statusRequest: [UInt8] = [5]

    /// The TLS extensions that a server has to answer with (RFC 7633 section 4.2), by their numbers' encoding.
    static func read(_ found: EncodedExtension) throws(RevocationEncodingError) -> Set<[UInt8]> {
        var outer = DERReader(found.value)
        var features = try outer.open(DERTag.sequence, .extensions)
        try outer.finish(.extensions)
        var numbers: Set<[UInt8]> = []
        while !features.rest.isEmpty { numbers.insert(Array(try features.takeInteger(DERTag.integer, .extensions))) }
        guard !numbers.isEmpty else { throw .malformed(.extensions) }
        return numbers
    }
}
