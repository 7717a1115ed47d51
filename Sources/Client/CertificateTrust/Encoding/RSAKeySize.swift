// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The size of the RSA key in a certificate that the typed parser refuses because the key is too small.
package enum RSAKeySize {
    /// The smallest key that the typed parser reads, in bits.
    package static let smallest = 2048

    /// rsaEncryption (RFC 8017 appendix A.1).
    private static let rsaEncryption: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]

    /// The length of the modulus in bits; `nil` where the bytes are no certificate with an RSA key.
    package static func bits(inCertificate certificate: [UInt8]) -> Int? {
        guard let fields = CertificateFields(certificate: certificate[...]) else { return nil }
        var outer = DERReader(fields.publicKeyInfo)
        guard var info = outer.enter(DERTag.sequence), var algorithm = info.enter(DERTag.sequence),
            algorithm.next()?.content.elementsEqual(rsaEncryption) == true,
            let bitString = info.next(), bitString.tag == DERTag.bitString
        else { return nil }
        // The first octet says how many bits of the last one are unused.
        var key = DERReader(bitString.content.dropFirst())
        guard var numbers = key.enter(DERTag.sequence), let modulus = numbers.next(), modulus.tag == DERTag.integer
        else { return nil }
        let digits = modulus.content.drop { $0 == 0 }
        return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount }
    }
}
