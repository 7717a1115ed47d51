// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities

extension Failure {
    init(identity: IdentityError) {
        switch identity {
        case .notPEM:
            self.init(.failed, "not-pem", "It is not PEM.", "PEM begins with -----BEGIN.")
        case .unrecognized:
            self.init(
                .failed, "unrecognized", "It is neither a certificate, nor a key, nor PKCS#12.",
                "Give PEM, DER or PKCS#12 (.p12, .pfx).")
        case .noCertificate:
            self.init(.failed, "no-certificate", "It holds no certificate.", "Give the certificate's file.")
        case .noPrivateKey:
            self.init(
                .failed, "no-private-key", "It holds no private key.",
                "Put certificate and key into one PEM file, or give a PKCS#12 file.")
        case .keyWhereCertificateExpected:
            self.init(
                .failed, "key-not-certificate", "It is a private key where a certificate is needed.",
                "Give the certificate's file; keep the key to yourself.")
        case .certificateWhereKeyExpected:
            self.init(.failed, "certificate-not-key", "It is a certificate where a private key is needed.")
        case .keyDoesNotMatch(let subject):
            self.init(
                .failed, "key-does-not-match", "The private key is not that of the certificate \(subject).",
                "Give the key that was made for this certificate.")
        case .passphraseNeeded:
            self.init(
                .failed, "passphrase-needed", "It is encrypted.", "Give its passphrase with --identity-passphrase-file."
            )
        case .wrongPassphrase:
            self.init(.failed, "wrong-passphrase", "The passphrase is wrong.", "Passphrases differ by case.")
        case .unsupported(let name):
            self.init(
                .failed, "unsupported", "It uses \(name), which is not supported.",
                "Export it again with today's OpenSSL: openssl pkcs12 -export.")
        case .malformed(let part, _):
            self.init(.failed, "malformed", "It is damaged: its \(part.rawValue) cannot be read.")
        case .tooLarge(let quantity, let limit):
            self.init(.failed, "too-large", "It has more \(quantity.rawValue) than the \(limit) that are allowed.")
        }
    }
}
