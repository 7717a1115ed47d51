// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place that was asked for a revocation list, an OCSP response, or an issuer's certificate.
struct EvidenceFetch: Encodable {
    let place: String
    let succeeded: Bool
    /// Whether it was not asked, because it is in the local network and the server is not.
    let isRefused: Bool
}
