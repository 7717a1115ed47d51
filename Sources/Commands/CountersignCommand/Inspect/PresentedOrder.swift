// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import X509

/// What is odd about the certificates that were presented beside the ones that are needed.
enum PresentedOrder {
    static func remarks(on inspection: Inspection) -> [String] {
        let presented = inspection.presented
        let path = inspection.verdict.mainPath?.certificates ?? []
        return repetitions(presented) + extras(presented, path, inspection) + disorder(presented, path)
            + missing(presented, path, inspection)
    }

    private static func repetitions(_ presented: [CertificateSummary]) -> [String] {
        presented.enumerated().compactMap { index, certificate in
            guard let first = presented.prefix(index).firstIndex(of: certificate) else { return nil }
            return "Certificate \(index + 1) (\(certificate.shortName)) repeats certificate \(first + 1)."
        }
    }

    private static func extras(
        _ presented: [CertificateSummary], _ path: [CertificateSummary], _ inspection: Inspection
    ) -> [String] {
        presented.enumerated().compactMap { index, certificate in
            guard index > 0, !presented.prefix(index).contains(certificate) else { return nil }
            let name = "Certificate \(index + 1) (\(certificate.shortName))"
            if certificate.subject == certificate.issuer {
                return "\(name) is a root: clients have their own, and need not be sent one."
            }
            guard !path.isEmpty, !path.contains(certificate) else { return nil }
            return "\(name) has no place in the path."
        }
    }

    /// TLS 1.2 asks for each certificate to certify the one before it (RFC 5246 section 7.4.2).
    private static func disorder(_ presented: [CertificateSummary], _ path: [CertificateSummary]) -> [String] {
        let places = path.compactMap { presented.firstIndex(of: $0) }
        guard places != places.sorted() else { return [] }
        return ["The certificates come in another order than that of the path; old clients stumble over that."]
    }

    private static func missing(
        _ presented: [CertificateSummary], _ path: [CertificateSummary], _ inspection: Inspection
    ) -> [String] {
        guard inspection.verdict.mainPath?.failure == nil else { return [] }
        return path.dropLast().filter { !presented.contains($0) }.map {
            "\($0.shortName) was not presented, and had to be found elsewhere: the server's owner should add it."
        }
    }
}
