// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets
package import X509

extension Identity {
    /// The chain as PEM (RFC 7468), leaf first, each block ending in a line feed.
    ///
    /// It throws ``IdentityError/malformed(_:offset:)`` where a certificate cannot be encoded.
    public var pemEncodedChain: [UInt8] {
        get throws(IdentityError) { try CertificateFile.pem(chain) }
    }

    /// A private key without a certificate as PKCS#8 in PEM, not encrypted.
    package static func pemEncoded(_ privateKey: Certificate.PrivateKey) throws(IdentityError) -> [UInt8] {
        PEMBlock.encode("PRIVATE KEY", try PrivateKeyInfo.encode(privateKey))
    }

    /// The private key as PKCS#8 in PEM (RFC 7468 section 10), not encrypted: write it only to a file that no other user can read.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it.
    public var pemEncodedPrivateKey: [UInt8] {
        get throws(IdentityError) { PEMBlock.encode("PRIVATE KEY", try derEncodedPrivateKey) }
    }

    /// The private key as PKCS#8 in DER (RFC 5958), not encrypted: write it only to a file that no other user can read.
    ///
    /// It throws ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it.
    public var derEncodedPrivateKey: [UInt8] {
        get throws(IdentityError) { try PrivateKeyInfo.encode(privateKey) }
    }

    /// Encodes the private key as encrypted PKCS#8 in PEM: PBES2 with AES-256 and PBKDF2 with HMAC-SHA-256 (RFC 8018).
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase that decrypts the key.
    ///   - iterations: The iterations of the key derivation, put into the range from 1 to 600,000, which is the default.
    /// - Returns: One block, ending in a line feed.
    /// - Throws: ``IdentityError/keyNotExportable`` for a key that cannot leave the device that holds it.
    public func pemEncodedPrivateKey(
        passphrase: Secret, iterations: Int = PKCS12.Encryption.mostIterations
    ) throws(IdentityError) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let scheme = PKCS12.Encryption.aes256(iterations: iterations).scheme
        let der = try EncryptedPrivateKeyInfo.encode(
            privateKey, with: scheme, passphrase: passphrase, random: &random)
        return PEMBlock.encode("ENCRYPTED PRIVATE KEY", der)
    }
}
