// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1
public import X509

extension CertificateFile {
    /// Encodes certificates as PEM (RFC 7468), in their order, each block ending in a line feed.
    public static func pem(_ certificates: some Sequence<Certificate>) throws(IdentityError) -> [UInt8] {
        var text: [UInt8] = []
        for certificate in certificates { text += PEMBlock.encode("CERTIFICATE", try der(certificate)) }
        return text
    }

    /// Encodes a certificate as DER.
    public static func der(_ certificate: Certificate) throws(IdentityError) -> [UInt8] {
        try DER.encode(.certificate) { try $0.serialize(certificate) }
    }
}
