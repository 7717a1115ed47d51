// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities

extension CertificateFile {
    /// Reads anchors, whose own signatures are not checked and may be by any algorithm.
    ///
    /// - Parameter bytes: Certificates in PEM (RFC 7468) or PKCS#7 (RFC 5652), or one in DER.
    /// - Returns: The certificates in the order of the file, repeated ones once; never empty.
    /// - Throws: `IdentityError` where the file holds no certificate, a private key beside one, a certificate that cannot be read, or a key
    ///   of an unknown kind.
    public static func anchors(in bytes: some Collection<UInt8>) throws(IdentityError) -> [CertificateSummary] {
        var anchors: [CertificateSummary] = []
        for encoded in try encodedAnchors(in: bytes) {
            guard let anchor = CertificateSummary(anchor: encoded) else { throw .malformed(.certificate) }
            anchors.append(anchor)
        }
        return anchors
    }
}
