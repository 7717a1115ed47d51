// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import CertificateTrust
internal import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a revocation sends (RFC 8555 section 7.6).
struct Revocation: Encodable {
    let certificate: String
    let reason: UInt8?

    init(_ certificate: Certificate, _ reason: RevocationReason?) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        self.certificate = Base64URL.encode(serializer.serializedBytes)
        self.reason = reason?.code
    }

    var encoded: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }
}
