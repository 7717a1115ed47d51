// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension OCSPRequest {
    /// Asks about a certificate of a verdict.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: 1 to 128 random octets, of which RFC 9654 wants 32; `nil` to accept what was made beforehand.
    /// - Throws: `nonceLength`, and `malformed` for a certificate whose fields cannot be told apart.
    public init(
        for certificate: CertificateSummary, issuer: CertificateSummary, nonce: [UInt8]? = nil
    ) throws(RevocationEncodingError) {
        try self.init(for: certificate.parsed, issuer: issuer.parsed, nonce: nonce)
    }
}
