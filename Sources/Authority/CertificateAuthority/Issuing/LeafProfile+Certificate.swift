// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
public import X509

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
