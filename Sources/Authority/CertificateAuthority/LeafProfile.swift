// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
public import X509

/// The profile of a certificate for a server or a client.
public struct LeafProfile: Hashable, Sendable {
    /// The purpose of the certificate's key; each certificate has one.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// The key authenticates a TLS server (`id-kp-serverAuth`, RFC 5280 section 4.2.1.12).
        case server
        /// The key authenticates a TLS client (`id-kp-clientAuth`, RFC 5280 section 4.2.1.12).
        case client
    }

    enum Subject: Hashable {
        /// The first DNS name that is no longer than a common name may be; empty if there is none.
        ///
        /// An IP address is never a common name, because clients such as certbot read that of a server as a DNS name.
        case firstDNSName
        case commonName(String)
        case whole(DistinguishedName)
    }

    /// The purpose of the key.
    public let purpose: Purpose
    /// Nothing is matched against it.
    let subject: Subject
    /// The subject alternative names as text: DNS names and IP literals.
    public let names: [String]
    /// The subject alternative names that are e-mail addresses.
    public let mailboxes: [String]
    /// When the certificate is valid.
    public var validity: Validity
    /// The kind of key that the authority makes for the certificate.
    public var keyType: CertificateAuthority.KeyType

    /// Makes the profile of a server's certificate, whose common name is the first DNS name of at most 64 characters, if there is one.
    ///
    /// - Parameters:
    ///   - names: DNS names in A-label form (`*.` allowed in front) and IP literals, without brackets; at least one.
    ///   - validity: 47 days unless said otherwise, the longest that browsers will take from 2029 on.
    ///   - keyType: P-256 unless said otherwise.
    /// - Returns: The profile; its names are checked when a certificate is made.
    public static func server(
        names: [String], validity: Validity = .days(47), keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .server, subject: .firstDNSName, names: names, mailboxes: [],
            validity: validity, keyType: keyType)
    }

    /// Makes the profile of a client's certificate with a common name.
    ///
    /// - Parameters:
    ///   - name: The subject's common name, 1 to 64 characters.
    ///   - mailboxes: E-mail addresses.
    ///   - validity: 47 days unless said otherwise.
    ///   - keyType: P-256 unless said otherwise.
    /// - Returns: The profile; its name and addresses are checked when a certificate is made.
    public static func client(
        name: String, mailboxes: [String] = [], validity: Validity = .days(47),
        keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .client, subject: .commonName(name), names: [], mailboxes: mailboxes, validity: validity,
            keyType: keyType)
    }

    /// Makes the profile of a client's certificate with a whole subject.
    ///
    /// - Parameters:
    ///   - subject: The subject; a server that reads it must know its form.
    ///   - mailboxes: E-mail addresses.
    ///   - validity: 47 days unless said otherwise.
    ///   - keyType: P-256 unless said otherwise.
    /// - Returns: The profile; its addresses are checked when a certificate is made.
    public static func client(
        subject: DistinguishedName, mailboxes: [String] = [], validity: Validity = .days(47),
        keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .client, subject: .whole(subject), names: [], mailboxes: mailboxes, validity: validity,
            keyType: keyType)
    }
}

extension LeafProfile {
    /// Makes the profile of an existing certificate, so that another like it can be issued.
    ///
    /// The subject is the certificate's, except that the common name of a server is not an IP address again.
    ///
    /// The validity is the certificate's, in whole days from the new time of issue and one day at least. The result is `nil` where the
    /// certificate has another purpose, several purposes, or names that are not DNS names, IP addresses or e-mail addresses.
    ///
    /// - Parameter certificate: A certificate for a server or a client.
    public init?(of certificate: Certificate) {
        guard let purposes = try? certificate.extensions.extendedKeyUsage, purposes.count == 1,
            let purpose = Purpose.allCases.first(where: { $0.extendedKeyUsage == purposes.first })
        else { return nil }
        var (names, mailboxes) = ([String](), [String]())
        for name in (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames() {
            guard let text = name.plainText else { return nil }
            if case .rfc822Name = name { mailboxes.append(text) } else { names.append(text) }
        }
        let seconds = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
        let hasAddress = certificate.subject.commonNames.contains { (try? AlternativeName($0))?.isAddress ?? false }
        self.init(
            purpose: purpose,
            subject: purpose == .server && hasAddress ? .firstDNSName : .whole(certificate.subject), names: names,
            mailboxes: mailboxes,
            validity: .days(max(1, Int(seconds / 86_400))), keyType: .init(like: certificate.publicKey))
    }
}

extension CertificateAuthority.KeyType {
    /// The kind of a key, or P-256 in the place of one that is not made here.
    init(like key: Certificate.PublicKey) {
        if let rsa = _RSA.Signing.PublicKey(key) {
            self = rsa.keySizeInBits > 3_072 ? .rsa4096 : rsa.keySizeInBits > 2_048 ? .rsa3072 : .rsa2048
        } else if P384.Signing.PublicKey(key) != nil {
            self = .p384
        } else if Curve25519.Signing.PublicKey(key) != nil {
            self = .ed25519
        } else {
            self = .p256
        }
    }
}
