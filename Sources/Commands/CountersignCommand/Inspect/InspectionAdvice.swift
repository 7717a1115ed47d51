// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import X509

/// The changes that would make a chain trusted, one line for each.
struct InspectionAdvice {
    let inspection: Inspection

    var lines: [String] {
        var lines: [String] = []
        for line in inspection.verdict.failures.flatMap({ changes(after: $0) }) where !lines.contains(line) {
            lines.append(line)
        }
        return lines
    }

    func changes(after failure: TrustFailure) -> [String] {
        switch failure {
        case .selfSigned(let certificate), .unknownRoot(let certificate): anchorLines(certificate)
        case .issuerNotFound(let certificate): issuerLines(certificate)
        case .expired(let certificate, _):
            [
                "\(certificate.shortName) has to be renewed: it \(certificate.validity(at: inspection.time).text)."
            ]
        case .notYetValid(let certificate, _):
            [
                "\(certificate.shortName) is valid from \(CertificateText.day(certificate.notBefore)) on; check the clock."
            ]
        case .hostMismatch(_, let presented): nameLines(presented)
        case .noSubjectAlternativeNames: nameLines([])
        case .pinMismatch(_, let presented): pinLines(presented)
        case .changed:
            [
                "If the owner confirms through another channel that the key is a new one: countersign trust forget \(inspection.name)"
            ]
        case .revocationUnknown(let certificate, _):
            [
                """
                Whether \(certificate.shortName) is revoked has to be known: give a list (--crl FILE) or a response (--ocsp FILE). With --revocation soft-fail it need not be, unless the certificate demands it.
                """
            ]
        case .revoked(let certificate, _, _): ["\(certificate.shortName) has to be replaced by another certificate."]
        case .weakSignature(_, let algorithm) where algorithm.hasPrefix("SHA-1") || algorithm.hasPrefix("SHA1"):
            [advice(after: failure), "To accept the signature nevertheless: --accept-weak sha-1"]
        case .weakKey(_, let bits) where bits >= 1024:
            [advice(after: failure), "To accept the key nevertheless: --accept-weak rsa-1024"]
        case .nonconforming(_, let rule):
            [
                advice(after: failure), "To tolerate the violation: --tolerate \(rule.rawValue)",
                "If the authority is a private one: --profile private-pki",
            ]
        case .unreadable, .badSignature, .notAnAuthority, .pathTooLong, .keyUsage, .extendedKeyUsage, .nameConstraints,
            .noValidPolicy, .unknownCriticalExtension, .malformedExtension, .weakSignature, .weakKey, .unsupportedKey,
            .unsupportedSignatureAlgorithm, .badStaple, .budgetExhausted, .distrusted,
            .transparencyInsufficient:
            [advice(after: failure)]
        }
    }

    private func advice(after failure: TrustFailure) -> String {
        (failure.certificates.first.map { $0.shortName + ": " } ?? "") + failure.explanation.advice
    }

    /// Returns the advice to import an anchor.
    ///
    /// A fingerprint from the connection itself proves nothing; it only helps to recognise the same certificate in a
    /// file from another source.
    private func anchorLines(_ certificate: CertificateSummary) -> [String] {
        // A server's own certificate becomes an anchor only if it is named explicitly.
        let option = certificate.certificate?.isAuthority != false ? "" : " --leaf"
        return [
            "Get the certificate of \(certificate.shortName) from its owner, not from this connection, and import it:",
            "  countersign trust import FILE --fingerprint \(certificate.fingerprint)\(option)",
            "Then use --trust imported; or once, --anchor FILE.",
        ]
    }

    private func issuerLines(_ certificate: CertificateSummary) -> [String] {
        let issuer = certificate.issuer.isEmpty ? "its issuer" : certificate.issuer
        let places = certificate.issuerPlaces
        let lines = [
            "The certificate of \(issuer) is missing, which issued \(certificate.shortName).",
            """
            If it is a root that you know, get it from its owner: 'countersign trust import FILE' and --trust imported, or \
            --anchor FILE.
            """,
            "If it is an intermediate authority, the server has to send it: its owner adds it to the chain.",
        ]
        guard let place = places.first, !inspection.hasFetched else { return lines }
        return lines + ["Or, with a connection, give --fetch-issuers: the certificate names \(place)."]
    }

    private func nameLines(_ presented: [String]) -> [String] {
        let host = inspection.host?.printable ?? "the host"
        let renewal = "The server needs a certificate that names \(host) as an alternative name."
        guard !presented.isEmpty else { return [renewal] }
        return ["Use a name that it is for: \(presented.prefix(5).joined(separator: ", ").printable).", renewal]
    }

    private func pinLines(_ presented: [Pin]) -> [String] {
        guard let key = presented.first else { return [] }
        return ["If the owner confirms through another channel that the key is a new one: --pin \(key)"]
    }
}

extension Inspection {
    /// Whether missing issuers were requested already.
    fileprivate var hasFetched: Bool {
        verdict.wanted.contains { if case .issuer = $0 { true } else { false } }
    }
}

/// Remarks about unusual presented certificates, such as repeated or unnecessary ones.
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

    /// Returns a remark if the order is wrong: in TLS 1.2, each certificate must certify the one before it (RFC 5246
    /// section 7.4.2).
    private static func disorder(_ presented: [CertificateSummary], _ path: [CertificateSummary]) -> [String] {
        let places = path.compactMap { presented.firstIndex(of: $0) }
        guard places != places.sorted() else { return [] }
        return ["The certificates come in another order than that of the path; old clients may fail."]
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
