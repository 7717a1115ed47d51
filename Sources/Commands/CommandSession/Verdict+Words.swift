// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import CommandSupport
import ErrorExplanations
package import EssentialFoundation
import X509

extension Verdict {
    /// The most informative path: the trusted one, else the one of the main failure, else one that ends in an anchor,
    /// else the longest.
    package var mainPath: Verdict.Path? {
        paths.last { $0.failure == nil } ?? paths.first { $0.failure == failure } ?? paths.first(where: \.endsInAnchor)
            ?? paths.max { $0.certificates.count < $1.certificates.count }
    }

    /// The verdict in a few words.
    package var headline: (word: String, ink: Ink) {
        guard isTrusted else { return ("not trusted", .red) }
        guard !isTrustedByKey else { return ("accepted for its key alone", .yellow) }
        return validation == .dangerouslyDisabled ? ("not validated", .red) : ("trusted", .green)
    }

    /// The revocation answers of the main path, each followed by those of its sources; one line if nothing was checked.
    package var revocationLines: [String] {
        let findings = mainPath?.revocation ?? []
        guard findings.contains(where: { $0.answer != .notAsked }) else {
            return findings.isEmpty
                ? []
                : ["Not checked: the policy asks for it only where a certificate demands it (--revocation soft-fail)."]
        }
        return findings.flatMap { [$0.explanation] + $0.sources.map { "  " + $0.explanation } }
    }

    /// The tried paths other than ``mainPath``.
    package var otherPaths: [Verdict.Path] {
        guard let main = paths.lastIndex(where: { $0 == mainPath }) else { return paths }
        return paths.enumerated().filter { $0.offset != main }.map(\.element)
    }
}

extension CertificateSummary {
    /// Returns the number of full days until the certificate expires, or since it expired.
    package func days(to time: Date) -> Int { Int(abs(notAfter.timeIntervalSince(time)) / 86_400) }

    /// The common name, or the complete subject if there is none.
    package var shortName: String {
        let names = subjectName.joined().filter { $0.type == .RDNAttributeType.commonName }
        let name = names.last.flatMap { String($0.value) }?.printable ?? ""
        return name.isEmpty ? (subject.isEmpty ? "(no subject)" : subject) : name
    }

    /// Returns the remaining validity, and a colour for its urgency.
    package func validity(at time: Date) -> (text: String, ink: Ink?) {
        let days = days(to: time)
        if time < notBefore {
            return ("not yet valid", .red)
        } else if time > notAfter {
            return (days == 0 ? "ended today" : "ended \(days) \(days == 1 ? "day" : "days") ago", .red)
        }
        return ("\(days) \(days == 1 ? "day" : "days") left", days < 30 ? .yellow : nil)
    }
}
