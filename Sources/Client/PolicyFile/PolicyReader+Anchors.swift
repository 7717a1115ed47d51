// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import X509

extension PolicyReader {
    /// `system`, or a mapping with `add` or `only` and a list of files.
    mutating func anchors(_ node: PolicyNode) throws(PolicyFileError) -> TrustPolicy.Anchors {
        if node.isText { return try node.choice(PolicyWords.anchors) }
        let mapping = try PolicyMapping(node, keys: ["add", "only"])
        switch (mapping["add"], mapping["only"]) {
        case (let files?, nil): return .systemAnd(try certificates(files))
        case (nil, let files?): return .only(try certificates(files))
        default: throw node.error(.notOne(of: ["add", "only"]))
        }
    }

    private mutating func certificates(_ files: PolicyNode) throws(PolicyFileError) -> [CertificateSummary] {
        var certificates: [CertificateSummary] = []
        for file in try files.list() {
            let path = try file.text()
            guard !path.isEmpty else { throw file.error(.empty) }
            let found: [CertificateSummary]
            do {
                found = try anchorFile(path)
            } catch {
                throw file.error(.anchors(path, error))
            }
            for certificate in found where certificate.notAfter < time {
                warn(
                    .expiredAnchor(path: path, subject: certificate.subject, since: certificate.notAfter),
                    at: file.place)
            }
            for certificate in found where !Self.isAuthority(certificate) {
                warn(.leafAnchor(path: path, subject: certificate.subject), at: file.place)
            }
            certificates += found
        }
        return certificates
    }

    /// Whether the basicConstraints make it the certificate of an authority; one that swift-certificates cannot read is taken for one.
    private static func isAuthority(_ certificate: CertificateSummary) -> Bool {
        guard let certificate = certificate.certificate else { return true }
        if case .isCertificateAuthority? = try? certificate.extensions.basicConstraints { return true }
        return false
    }
}
