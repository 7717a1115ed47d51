// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How a sentence refers to the certificates of a chain: "its certificate", or the certificate of a subject.
struct CertificateNaming {
    /// The server's own certificate; `nil` where a failure is told by itself.
    var leaf: CertificateSummary?
    /// Those that may have issued it.
    var issuers: Set<CertificateSummary> = []

    /// The possessive by which the server is known.
    var server: String { leaf == nil ? "the server's" : "its" }

    /// A certificate, as the subject of a sentence.
    func certificate(_ certificate: CertificateSummary) -> String {
        if certificate == leaf { return "its certificate" }
        return "the certificate of \(issuers.contains(certificate) ? "its issuer " : "")\(certificate.title)"
    }
}

extension CertificateSummary {
    /// The subject; the serial number where there is none.
    var title: String { subject.isEmpty ? "the serial number \(serialNumber)" : subject }

    /// Whether subject and issuer have the same name.
    var isSelfIssued: Bool { parsed.isSelfIssued }
}

extension Verdict {
    /// The chain as the sentences about it name it.
    var naming: CertificateNaming {
        CertificateNaming(
            leaf: paths.first?.certificates.first,
            issuers: Set(paths.compactMap { $0.certificates.dropFirst().first }))
    }
}
