// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The cases of x509-limbo that do not come out as expected, and why.
enum LimboDivergences {
    static let reasons = [
        "crl::revoked-certificate-with-crl": noRevocation,
        "crl::crlnumber-missing": noRevocation,
        "crl::crlnumber-critical": noRevocation,
        "crl::issuer-missing-crlsign": noRevocation,
    ]

    private static let noRevocation = "Revocation lists are not read yet."
}
