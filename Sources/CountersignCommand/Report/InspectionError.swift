// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// What is wrong with what an inspection was given.
enum InspectionError: Error, Hashable {
    /// A file with a key, where certificates are needed.
    case pkcs12
    /// Nothing of TLS is spoken there.
    case plainHTTP(String)
    case time(String)
    case hostName(String, HostNameError)
    /// These flags are for servers only.
    case flagOfServers(String)
    /// These flags are for files only.
    case flagOfFiles(String)
    case revocation(RevocationEncodingError)
}

extension Failure {
    init(inspection error: InspectionError) {
        switch error {
        case .pkcs12:
            self.init(
                .failed, "pkcs12", "It is PKCS#12, which holds a key beside the certificates.",
                "Take the certificates out: openssl pkcs12 -in FILE -nokeys -out chain.pem")
        case .plainHTTP(let url):
            self.init(
                .usage, "plain-http", "\(url) is not encrypted: it has no certificates.",
                "Give HOST:PORT or an https: URL.")
        case .time(let text):
            self.init(
                .usage, "time", "\"\(text)\" is not a date and time that exists.",
                "Write it as 2026-11-21 or 2026-11-21T10:00:00Z.")
        case .hostName(let text, let cause):
            self.init(.usage, "host-name", "\"\(text)\" is no host: \(cause.text).", cause.advice)
        case .flagOfServers(let flag):
            self.init(
                .usage, "usage", "\(flag) is for servers; a file is evaluated without any connection.",
                "Leave it out, or give HOST:PORT.")
        case .flagOfFiles(let flag):
            self.init(
                .usage, "usage", "\(flag) is for files; a server is compared with its own name.",
                "Leave it out, or give a file.")
        case .revocation(let cause):
            self.init(revocation: cause)
        }
    }

    private init(revocation error: RevocationEncodingError) {
        let advice = "Give a list in DER or PEM with --crl, a response in DER with --ocsp."
        switch error {
        case .malformed(let part):
            self.init(
                .failed, "malformed", "It is damaged, or something else: its \(part.rawValue) cannot be read.", advice)
        case .unsupportedVersion:
            self.init(.failed, "unsupported", "It is of a version that does not exist.", advice)
        case .unsupportedResponseType:
            self.init(.failed, "unsupported", "It is a response of another type than id-pkix-ocsp-basic.", advice)
        case .tooMany(let part):
            self.init(.failed, "too-large", "It has more of \(part.rawValue) than anyone has a reason to send.", advice)
        case .notPEM:
            self.init(.failed, "not-pem", "It is PEM, but no X509 CRL.", advice)
        case .nonceLength(let length):
            self.init(.failed, "nonce-length", "A nonce of \(length) octets is not allowed.", advice)
        }
    }
}
