// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import X509

/// Whom a response says that it is signed by (RFC 6960 section 4.2.2.3).
enum OCSPResponderID: Hashable, Sendable {
    case name(DistinguishedName)
    /// SHA-1 of the key, which is a name and proves nothing.
    case keyHash([UInt8])

    init(from fields: inout DERReader) throws(RevocationEncodingError) {
        if var tagged = try fields.openIfPresent(DERTag.constructed(1), .responder) {
            self = .name(try DistinguishedName(tagged.only(DERTag.sequence, .responder).bytes, .responder))
        } else {
            var tagged = try fields.open(DERTag.constructed(2), .responder)
            self = .keyHash(Array(try tagged.only(DERTag.octetString, .responder).content))
        }
    }

    func isFor(_ certificate: ParsedCertificate) -> Bool {
        switch self {
        case .name(let name): name == certificate.subjectName
        case .keyHash(let hash): (try? certificate.keyBits()).map { Insecure.SHA1.hash(data: $0) == hash } ?? false
        }
    }
}
