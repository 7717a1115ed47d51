// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

extension Set<Certificate> {
    /// Whether one of the certificates says the same, under whichever signature.
    ///
    /// Anyone can make a second ECDSA signature out of a first one, so a certificate that is told by its bytes would get around
    /// distrust in it.
    func distrusts(_ certificate: Certificate) -> Bool {
        contains(certificate) || contains { $0.tbsCertificateBytes == certificate.tbsCertificateBytes }
    }
}
