// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// Why a file or a pair of files gave no identity or no certificate.
///
/// No case holds a passphrase, key material or any other byte of the file that it complains about.
@nonexhaustive
public enum IdentityError: Error, Hashable, Sendable {
    /// The file, or the part of it, that breaks the rules of its format.
    @nonexhaustive
    public enum Part: String, Hashable, Sendable {
        /// DER or BER that is too damaged to tell what it encodes (X.690).
        case encoding
        /// The boundaries, the headers or the base64 of a PEM block (RFC 7468).
        case pem
        /// A certificate (RFC 5280).
        case certificate
        /// A private key (RFC 5958, RFC 8017, RFC 5915).
        case privateKey
        /// The parameters of an encryption, or what it decrypted to (RFC 8018).
        case encryption
        /// A PKCS#12 file's outer structure or one of its safes (RFC 7292).
        case pkcs12
        /// A PKCS#7 file's structure (RFC 5652).
        case pkcs7
        /// A PKCS#12 file's integrity check (RFC 7292 section 4, RFC 9879).
        case messageAuthenticationCode
        /// A PKCS#12 bag's attribute, such as its friendly name (RFC 7292 section 4.2).
        case attribute
    }

    /// What a file holds, told by its labels or its first bytes.
    @nonexhaustive
    public enum Content: String, Hashable, Sendable, CaseIterable {
        /// A certificate (RFC 5280).
        case certificate = "certificate"
        /// A private key (RFC 5958).
        case privateKey = "private key"
        /// A public key by itself (RFC 7468 section 13).
        case publicKey = "public key"
        /// A request for a certificate (RFC 2986).
        case certificateRequest = "certificate request"
        /// A revocation list (RFC 5280 section 5).
        case revocationList = "certificate revocation list"
        /// A certificate with OpenSSL's trust settings.
        case trustedCertificate = "OpenSSL trusted certificate"
        /// A private key in OpenSSH's own format.
        case openSSHKey = "OpenSSH private key"
        /// A Java keystore older than PKCS#12.
        case javaKeyStore = "Java keystore (JKS or JCEKS)"
    }

    /// A resource of which a file may use a limited amount.
    @nonexhaustive
    public enum Quantity: String, Hashable, Sendable {
        /// The size of the file, in bytes.
        case bytes
        /// The number of PEM blocks, ASN.1 elements or PKCS#12 bags.
        case elements
        /// The levels of ASN.1 elements inside one another.
        case nesting
        /// The iterations of all its key derivations together.
        case iterations
        /// The memory of a key derivation, in bytes.
        case memory
    }

    /// The file is not text with a `-----BEGIN` line.
    case notPEM
    /// The file is neither PEM nor any DER that an identity comes in.
    case unrecognized
    /// The file has no certificate.
    case noCertificate
    /// The file has no private key.
    case noPrivateKey
    /// The file holds a private key where only certificates belong.
    case keyWhereCertificateExpected
    /// The key file holds a certificate and no private key.
    case certificateWhereKeyExpected
    /// The file holds another content than the one that is needed.
    case wrongContent(found: Content, wanted: Content)
    /// No certificate of the file has the private key's public key; the subject is that of the first certificate.
    case keyDoesNotMatch(subject: DistinguishedName)
    /// The file is encrypted and no passphrase was given.
    case passphraseNeeded
    /// The passphrase is wrong, or the file was changed since it was written: the format cannot tell the two apart.
    case wrongPassphrase
    /// The file needs an algorithm or a format that is not supported. Holds its name, or else its object identifier.
    case unsupported(String)
    /// The private key cannot leave the device that holds it.
    case keyNotExportable
    /// The file breaks the rules of its format; the offset, where known, counts bytes from the start of that part.
    case malformed(Part, offset: Int? = nil)
    /// The file needs more of a resource than the limit, which is in the unit of the quantity.
    case tooLarge(Quantity, limit: Int)
}
