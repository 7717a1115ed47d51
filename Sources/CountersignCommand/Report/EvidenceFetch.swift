// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place that was asked for a revocation list, an OCSP response, or an issuer's certificate.
struct EvidenceFetch: Encodable {
    let place: String
    let succeeded: Bool
}
