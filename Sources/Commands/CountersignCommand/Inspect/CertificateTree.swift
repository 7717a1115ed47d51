// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A path as a tree, from the anchor down to the leaf.
struct CertificateTree {
    let inspection: Inspection
    let usesColor: Bool

    private static let shownNames = 4

    var lines: [String] {
        let path = inspection.verdict.mainPath
        let certificates = path?.certificates ?? Array(inspection.presented.prefix(1))
        let endsInAnchor = path?.endsInAnchor ?? false
        return certificates.reversed().enumerated().flatMap { level, certificate in
            let isLeaf = level == certificates.count - 1
            let origin = origin(of: certificate, isAnchor: endsInAnchor && level == 0)
            return lines(certificate, level: level, isLeaf: isLeaf, origin: origin)
        }
    }

    private func lines(_ certificate: CertificateSummary, level: Int, isLeaf: Bool, origin: String) -> [String] {
        let indent = String(repeating: "   ", count: level)
        let subject = certificate.subject.isEmpty ? "(no subject)" : certificate.subject
        let heading = level == 0 ? subject : indent.dropLast(3) + "└─ " + subject
        return [heading] + details(certificate, origin).map { indent + (isLeaf ? "  " : "│ ") + $0 }
    }

    private func details(_ certificate: CertificateSummary, _ origin: String) -> [String] {
        let names = certificate.names
        let rest = names.count - Self.shownNames
        let shown = names.prefix(Self.shownNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return [
            origin.isEmpty ? nil : "from         \(origin)",
            names.isEmpty ? nil : "names        \(shown)",
            "key          \(certificate.algorithms)",
            "valid        \(validity(certificate))",
            "fingerprint  \(certificate.fingerprint)",
            "pin          \(certificate.publicKeyPin)",
        ].compactMap { $0 }
    }

    private func validity(_ certificate: CertificateSummary) -> String {
        let (text, ink) = certificate.validity(at: inspection.time)
        let days = CertificateText.day(certificate.notBefore) + " to " + CertificateText.day(certificate.notAfter)
        return days + ", " + (usesColor ? ink?.paint(text) ?? text : text)
    }

    private func origin(of certificate: CertificateSummary, isAnchor: Bool) -> String {
        let isPresented = inspection.presented.contains(certificate)
        let place = isAnchor ? "your anchors" : ""
        switch (inspection.source, isPresented) {
        case (_, false): return place.isEmpty ? "elsewhere: it was not presented" : place
        case (.server, true): return place.isEmpty ? "the server" : place + ", and the server"
        case (.file, true): return place.isEmpty ? "the file" : place + ", and the file"
        }
    }
}
