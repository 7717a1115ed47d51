// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension OCSPRequest {
    /// Asks about a certificate of a verdict.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate that issued it.
    ///   - nonce: 1 to 128 random octets, of which RFC 9654 recommends 32; `nil` sends none, so that a response made beforehand is
    ///     accepted.
    /// - Throws: ``RevocationEncodingError/nonceLength(_:)``, and ``RevocationEncodingError/malformed(_:)`` where the issuer's key cannot
    ///   be read.
    public init(
        for certificate: CertificateSummary, issuer: CertificateSummary, nonce: [UInt8]? = nil
    ) throws(RevocationEncodingError) {
        try self.init(for: certificate.parsed, issuer: issuer.parsed, nonce: nonce)
    }
}
