// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
public import X509

/// The profile of a certificate for a server or a client.
public struct LeafProfile: Hashable, Sendable {
    /// The purpose of a certificate's key.
    ///
    /// Each certificate has only one.
    @nonexhaustive
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// The key authenticates a TLS server (`id-kp-serverAuth`, RFC 5280 section 4.2.1.12).
        case server
        /// The key authenticates a TLS client (`id-kp-clientAuth`, RFC 5280 section 4.2.1.12).
        case client
    }

    enum Subject: Hashable {
        /// The first DNS name that is short enough for a common name; empty if there is none.
        ///
        /// An IP address is never the common name, because clients such as certbot interpret a server's common name as
        /// a DNS name.
        case firstDNSName
        case commonName(String)
        case entireName(DistinguishedName)
    }

    /// The purpose of the certificate's key.
    public let purpose: Purpose
    /// The subject, which no verifier matches against a host name.
    let subject: Subject
    /// The subject alternative names as text: DNS names and IP literals.
    public let names: [String]
    /// The subject alternative names that are e-mail addresses.
    public let mailboxes: [String]
    /// The validity period of the certificate.
    public var validity: Validity
    /// The type of the key that the authority creates for the certificate.
    public var keyType: CertificateAuthority.KeyType

    /// Creates the profile of a server certificate, whose common name is the first DNS name of at most 64 characters,
    /// if there is one.
    ///
    /// - Parameters:
    ///   - names: DNS names in A-labels (with an optional leading `*.`) and IP literals, without brackets;
    ///     at least one.
    ///   - validity: The validity period. The default is 47 days, which is the browsers' limit from 2029.
    ///   - keyType: The type of the key; the default is P-256.
    /// - Returns: The profile, whose names are checked when a certificate is issued.
    public static func server(
        names: [String], validity: Validity = .days(47), keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .server, subject: .firstDNSName, names: names, mailboxes: [],
            validity: validity, keyType: keyType)
    }

    /// Creates the profile of a client certificate with a common name.
    ///
    /// - Parameters:
    ///   - name: The subject's common name, 1 to 64 characters.
    ///   - mailboxes: E-mail addresses.
    ///   - validity: The validity period; the default is 47 days.
    ///   - keyType: The type of the key; the default is P-256.
    /// - Returns: The profile, whose name and addresses are checked when a certificate is issued.
    public static func client(
        name: String, mailboxes: [String] = [], validity: Validity = .days(47),
        keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .client, subject: .commonName(name), names: [], mailboxes: mailboxes, validity: validity,
            keyType: keyType)
    }

    /// Creates the profile of a client certificate with a complete subject.
    ///
    /// - Parameters:
    ///   - subject: The subject, in a form that the server expects.
    ///   - mailboxes: E-mail addresses.
    ///   - validity: The validity period; the default is 47 days.
    ///   - keyType: The type of the key; the default is P-256.
    /// - Returns: The profile, whose addresses are checked when a certificate is issued.
    public static func client(
        subject: DistinguishedName, mailboxes: [String] = [], validity: Validity = .days(47),
        keyType: CertificateAuthority.KeyType = .p256
    ) -> Self {
        Self(
            purpose: .client, subject: .entireName(subject), names: [], mailboxes: mailboxes, validity: validity,
            keyType: keyType)
    }
}

extension LeafProfile {
    /// Creates the profile of an existing certificate, for issuing a similar one.
    ///
    /// The subject is that of the certificate, except that a server's common name is never an IP address.
    ///
    /// The validity has as many days as that of the certificate, at least one, and begins at the new time of issue. The
    /// result is `nil` if the certificate has another purpose, several purposes, or names that are not DNS names, IP
    /// addresses or e-mail addresses.
    ///
    /// - Parameter certificate: A server or client certificate.
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
            subject: purpose == .server && hasAddress ? .firstDNSName : .entireName(certificate.subject), names: names,
            mailboxes: mailboxes,
            validity: .days(max(1, Int(seconds / 86_400))), keyType: .init(like: certificate.publicKey))
    }
}

extension CertificateAuthority.KeyType {
    /// Creates the type of an existing key, or P-256 if the authority does not create keys of that type.
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
