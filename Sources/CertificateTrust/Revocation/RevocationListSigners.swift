// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Finds who may sign revocation lists beside the issuer of a certificate: its other keys, and the issuers of indirect lists.
protocol RevocationListSigners {
    /// The certificates with a name, those first that have a key identifier.
    mutating func candidates(named name: NameKey, key: ArraySlice<UInt8>?) -> [Certificate]

    /// Whether a candidate has a path to the anchor of the path that is checked (RFC 5280 section 6.3.3 step f).
    mutating func isTrusted(_ candidate: Certificate) -> Bool
}

/// Where the issuer alone signs its lists.
struct IssuerAlone: RevocationListSigners {
    func candidates(named name: NameKey, key: ArraySlice<UInt8>?) -> [Certificate] { [] }
    func isTrusted(_ candidate: Certificate) -> Bool { false }
}
