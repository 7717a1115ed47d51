// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import ErrorExplanations
public import X509

/// An error of reading an identity or certificates from a file or a pair of files.
///
/// No case contains a passphrase, key material or other bytes of the file.
@nonexhaustive
public enum IdentityError: Error, Hashable, Sendable {
    /// The file, or the part of a file, that violates its format.
    @nonexhaustive
    public enum Part: String, Hashable, Sendable {
        /// The BER or DER encoding, if it is too damaged to identify its content (X.690).
        case encoding
        /// A PEM block: its boundaries, headers or base64 (RFC 7468).
        case pem
        /// A certificate (RFC 5280).
        case certificate
        /// A private key (RFC 5958, RFC 8017, RFC 5915).
        case privateKey
        /// The parameters of an encryption, or the decrypted data (RFC 8018).
        case encryption
        /// The outer structure of a PKCS#12 file, or one of its safes (RFC 7292).
        case pkcs12
        /// The structure of a PKCS#7 file (RFC 5652).
        case pkcs7
        /// The integrity check of a PKCS#12 file (RFC 7292 section 4, RFC 9879).
        case messageAuthenticationCode
        /// An attribute of a PKCS#12 bag, such as its friendly name (RFC 7292 section 4.2).
        case attribute
    }

    /// The content of a file, identified by its labels or first bytes.
    @nonexhaustive
    public enum Content: String, Hashable, Sendable, CaseIterable {
        /// A certificate (RFC 5280).
        case certificate = "certificate"
        /// A private key (RFC 5958).
        case privateKey = "private key"
        /// A public key without a certificate (RFC 7468 section 13).
        case publicKey = "public key"
        /// A certificate request (RFC 2986).
        case certificateRequest = "certificate request"
        /// A certificate revocation list (RFC 5280 section 5).
        case revocationList = "certificate revocation list"
        /// A certificate with OpenSSL's trust settings.
        case trustedCertificate = "OpenSSL trusted certificate"
        /// A private key in the OpenSSH format.
        case openSSHKey = "OpenSSH private key"
        /// A Java keystore in a format older than PKCS#12.
        case javaKeyStore = "Java keystore (JKS or JCEKS)"
    }

    /// A resource whose use by a file is limited.
    @nonexhaustive
    public enum Quantity: String, Hashable, Sendable {
        /// The size of the file, in bytes.
        case bytes
        /// The number of PEM blocks, ASN.1 elements or PKCS#12 bags.
        case elements
        /// The nesting depth of ASN.1 elements.
        case nesting
        /// The total iterations of all key derivations.
        case iterations
        /// The memory of a key derivation, in bytes.
        case memory
    }

    /// The file has no bytes.
    case empty
    /// No part of the file can be read. Holds each part with its reason.
    case noneReadable([UnreadContent])
    /// The file is not text with a `-----BEGIN` line.
    case notPEM
    /// The file is neither PEM nor a supported DER structure.
    case unrecognized
    /// The file has no certificate.
    case noCertificate
    /// The file has no private key.
    case noPrivateKey
    /// The file contains a private key, but only certificates are allowed.
    case keyWhereCertificateExpected
    /// The key file contains a certificate, but no private key.
    case certificateWhereKeyExpected
    /// The file contains another type of content than expected.
    case wrongContent(found: Content, wanted: Content)
    /// No certificate in the file matches the private key; the subject is that of the first certificate.
    case keyDoesNotMatch(subject: DistinguishedName)
    /// The file is encrypted, but no passphrase was given.
    case passphraseNeeded
    /// The passphrase is wrong, or the file is corrupted; the format does not allow distinguishing the two.
    case wrongPassphrase
    /// The file uses an unsupported algorithm or format. Holds its name, or else its object identifier.
    case unsupported(String)
    /// The private key cannot leave its device.
    case keyNotExportable
    /// The file violates its format; the offset, if known, counts bytes from the start of that part.
    case malformed(Part, offset: Int? = nil)
    /// The file exceeds the limit of a resource; the limit is in the unit of the quantity.
    case tooLarge(Quantity, limit: Int)
}

extension IdentityError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .empty:
            ErrorExplanation(
                "identity.empty", "The file is empty.",
                reason: "It has no bytes; the program that should write it may have failed.",
                advice: "Give a file with a certificate or a key.")
        case .noneReadable(let unread):
            ErrorExplanation(
                "identity.none-readable", "Nothing in the file can be read.",
                reason: unread.lines.map(\.asSentence).joined(separator: " "),
                advice: "Give a file with at least one certificate that can be read.")
        case .notPEM:
            ErrorExplanation(
                "identity.not-pem", "The file is not PEM.",
                reason: "PEM is text with a line that begins with -----BEGIN.",
                advice: "Give a file in PEM, or convert it to PEM.")
        case .unrecognized:
            ErrorExplanation(
                "identity.unrecognized", "The file is not a certificate, a private key or PKCS#12.",
                reason: "It is not PEM either, and its first bytes are not those of these types in DER.",
                advice: "Give a file in PEM, DER or PKCS#12 (.p12, .pfx).")
        case .noCertificate:
            ErrorExplanation(
                "identity.no-certificate", "The file holds no certificate.",
                reason: "An identity is a certificate with its private key, and an anchor is a certificate.",
                advice: "Give the file that holds the certificate.")
        case .noPrivateKey:
            ErrorExplanation(
                "identity.no-private-key", "The file holds no private key.",
                reason: "An identity consists of a certificate and its private key.",
                advice: "Give the file of the key too, put both into one PEM file, or give a PKCS#12 file.")
        case .keyWhereCertificateExpected:
            ErrorExplanation(
                "identity.key-not-certificate", "The file holds a private key where a certificate is needed.",
                reason: "The files may have been given in the wrong order.",
                advice: "Give the certificate file, and keep the private key secret.")
        case .certificateWhereKeyExpected:
            ErrorExplanation(
                "identity.certificate-not-key", "The file holds a certificate where a private key is needed.",
                reason: "The files may have been given in the wrong order.",
                advice: "Give the file of the private key.")
        case .wrongContent(let found, let wanted):
            found.explanation(wanted: wanted)
        case .keyDoesNotMatch(let subject):
            ErrorExplanation(
                "identity.key-does-not-match", "The private key does not belong to the certificate \(subject.text).",
                reason: "The certificate holds another public key.",
                advice: "Give the private key with which the certificate was requested.")
        case .passphraseNeeded:
            ErrorExplanation(
                "identity.passphrase-needed", "The file is encrypted, and no passphrase was given.",
                reason: "The private key can be read only with the passphrase.",
                advice: "Give the passphrase.")
        case .wrongPassphrase:
            ErrorExplanation(
                "identity.wrong-passphrase", "The passphrase is wrong, or the file is damaged.",
                reason: "The format cannot tell the two apart.",
                advice: "Check the passphrase; upper and lower case differ. If it is right, copy the file again.")
        case .unsupported(let name) where name.hasPrefix("RSA-"):
            ErrorExplanation(
                "identity.unsupported-key-size", "The file has a key of the size \(name), which is not supported.",
                reason: "RSA keys have 2048 to 8192 bits here. Shorter keys can be broken, and longer keys are slow.",
                advice: "Make a key of 2048 bits or more, and request a new certificate for it.")
        case .unsupported("PKCS#12"):
            ErrorExplanation(
                "identity.pkcs12-not-certificates", "The file is PKCS#12 where certificates are needed.",
                reason: "PKCS#12 contains a private key in addition to its certificates.",
                advice: "Write the certificates to a PEM file, for instance with openssl pkcs12 -nokeys.")
        case .unsupported(let name):
            ErrorExplanation(
                "identity.unsupported", "The file uses \(name), which is not supported.",
                reason: "The algorithm or format is outdated, or is not one that this library reads.",
                advice: "Export the file again with a current version of its program, such as OpenSSL 3.")
        case .keyNotExportable:
            ErrorExplanation(
                "identity.key-not-exportable", "The private key cannot be exported.",
                reason: "The device that holds the key does not allow exporting it.",
                advice: "Use the identity on this device, or make a key in software.")
        case .malformed(.certificate, nil):
            ErrorExplanation(
                "identity.malformed", "The file has a certificate that does not follow RFC 5280.",
                reason: "It is well-formed ASN.1, but a field has no form that this library reads.",
                advice: "Ask the certificate's issuer for one that follows RFC 5280 section 4.1.")
        case .malformed(let part, let offset):
            ErrorExplanation(
                "identity.malformed",
                "The file is damaged: its \(part.words) is malformed\(offset.map { " at byte \($0)" } ?? "").",
                reason: "The file breaks the rules of its format. It may have been cut off or changed.",
                advice: "Copy or export the file again.")
        case .tooLarge(let quantity, let limit):
            quantity.explanation(limit: limit)
        }
    }

    package static var examples: [Self] {
        let subject = (try? DistinguishedName { CommonName("a.test") }) ?? DistinguishedName()
        return [
            .empty,
            .noneReadable([
                UnreadContent(.init(position: 1, count: 2, line: 1), .malformed(.pem), .notBase64),
                UnreadContent(.init(position: 2, count: 2, line: 9), .unsupported("GOST"), .certificate([])),
            ]),
            .notPEM, .unrecognized, .noCertificate, .noPrivateKey, .keyWhereCertificateExpected,
            .certificateWhereKeyExpected, .keyDoesNotMatch(subject: subject), .passphraseNeeded, .wrongPassphrase,
            .unsupported("RSA-1024"), .unsupported("PKCS#12"), .unsupported("camellia256-CBC"),
            .wrongContent(found: .certificateRequest, wanted: .certificate), .malformed(.certificate, offset: 120),
            .tooLarge(.bytes, limit: 8_388_608),
            .tooLarge(.elements, limit: 10_000), .tooLarge(.nesting, limit: 40),
            .tooLarge(.iterations, limit: 10_000_000),
            .tooLarge(.memory, limit: 134_217_728), .keyNotExportable,
        ]
    }
}

extension IdentityError.Part {
    fileprivate var words: String {
        switch self {
        case .encoding: "ASN.1 encoding"
        case .pem: "PEM"
        case .certificate: "certificate"
        case .privateKey: "private key"
        case .encryption: "encryption"
        case .pkcs12: "PKCS#12 structure"
        case .pkcs7: "PKCS#7 structure"
        case .messageAuthenticationCode: "PKCS#12 integrity check"
        case .attribute: "PKCS#12 attribute"
        }
    }
}

extension IdentityError.Content {
    fileprivate func explanation(wanted: Self) -> ErrorExplanation {
        let advice =
            switch self {
            case .certificateRequest: "Give the certificate that the authority issued for the request."
            case .openSSHKey: "Convert the key: ssh-keygen -p -m PKCS8 -f on a copy of the file."
            case .javaKeyStore: "Convert the keystore: keytool -importkeystore -deststoretype PKCS12."
            case .trustedCertificate: "Convert the certificate: openssl x509 -in the file."
            case .certificate, .privateKey, .publicKey, .revocationList: "Give the file of the \(wanted.rawValue)."
            }
        return ErrorExplanation(
            "identity.wrong-content",
            "The file holds \(rawValue.withArticle) where \(wanted.rawValue.withArticle) is needed.",
            reason: "The expected content was not found in the file.", advice: advice)
    }
}

extension String {
    var withArticle: String { ("AEIOU".contains(prefix(1)) ? "an " : "a ") + self }
}

extension IdentityError.Quantity {
    fileprivate func explanation(limit: Int) -> ErrorExplanation {
        switch self {
        case .bytes:
            ErrorExplanation(
                "identity.too-many-bytes", "The file is larger than \(limit) bytes.",
                reason: "Files with certificates and keys are small. Larger files are not read.",
                advice: "Check that it is the right file.")
        case .elements:
            ErrorExplanation(
                "identity.too-many-elements", "The file has more than \(limit) elements.",
                reason: "More elements are not read, because parsing them could take too long.",
                advice: "Divide the file, or leave out what is not needed.")
        case .nesting:
            ErrorExplanation(
                "identity.nested-too-deeply", "The file has elements nested more than \(limit) levels deep.",
                reason: "No certificate or key needs as many levels, so the file is damaged or malicious.",
                advice: "Check where the file comes from, and export it again.")
        case .iterations:
            ErrorExplanation(
                "identity.too-many-iterations", "The file's key derivation takes more than \(limit) iterations.",
                reason: "Each iteration costs computing time, and the file chooses their number.",
                advice: "Export the file again with fewer iterations.")
        case .memory:
            ErrorExplanation(
                "identity.too-much-memory", "The file's key derivation takes more than \(limit) bytes of memory.",
                reason: "The file chooses how much memory scrypt takes.",
                advice: "Export the file again with smaller scrypt parameters, or with PBKDF2.")
        }
    }
}
