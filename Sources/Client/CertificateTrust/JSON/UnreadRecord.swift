// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The JSON form of a certificate that was not read.
package struct UnreadRecord: Codable {
    let position: Int
    let count: Int
    let line: Int?
    /// The fingerprint of the certificate, if some of its fields can be read.
    let certificate: String?
    let subject: String?
    let problem: CertificateProblemRecord

    package init(_ unread: UnreadCertificate) {
        (position, count, line) = (unread.position, unread.count, unread.line)
        (certificate, subject) = (unread.certificate?.fingerprint, unread.certificate?.subject)
        problem = CertificateProblemRecord(unread.problem)
    }

    func unread(with certificates: CertificateList) throws -> UnreadCertificate {
        UnreadCertificate(
            position: position, count: count, line: line, certificate: try certificate.map(certificates.certificate),
            problem: try problem.problem())
    }
}
