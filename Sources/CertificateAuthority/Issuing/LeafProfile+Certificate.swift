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
    /// What a certificate says, so that another like it can be issued.
    ///
    /// - Parameter certificate: A server's or a client's; `nil` for any other, and for one with names of other kinds than an authority here
    ///   issues.
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
        self.init(
            purpose: purpose, subject: .whole(certificate.subject), names: names, mailboxes: mailboxes,
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
