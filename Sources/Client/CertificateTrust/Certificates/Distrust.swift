// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// What no path of a search may contain, told by what is signed.
///
/// Anyone can make a second ECDSA signature out of a first one, so a certificate that is told by all its bytes would get around
/// distrust in it.
struct Distrust {
    private var signedBytes: [ArraySlice<UInt8>]

    init(_ certificates: Set<Certificate> = []) {
        signedBytes = certificates.map(\.tbsCertificateBytes)
    }

    func adding(_ subject: ParsedCertificate) -> Self {
        var copy = self
        copy.signedBytes.append(subject.signedBytes)
        return copy
    }

    func contains(_ certificate: ParsedCertificate) -> Bool {
        signedBytes.contains(certificate.signedBytes)
    }
}
