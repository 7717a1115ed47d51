// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import CommandSupport
import ErrorExplanations
package import EssentialFoundation

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
    /// The common name, or the complete subject if there is none.
    package var shortName: String {
        let name = commonNames.last ?? ""
        return name.isEmpty ? (subject.isEmpty ? "(no subject)" : subject) : name
    }

    /// Returns the remaining validity, and a colour for its urgency.
    package func validity(at time: Date) -> (text: String, ink: Ink?) {
        if time < notBefore {
            return ("not yet valid", .red)
        } else if time > notAfter {
            let days = time.calendarDays(since: notAfter)
            return (days == 0 ? "ended today" : "ended \(days) \(days == 1 ? "day" : "days") ago", .red)
        }
        // Full days, so that the certificate is valid for the whole of each.
        let days = Int(notAfter.timeIntervalSince(time) / 86_400)
        return ("\(days) \(days == 1 ? "day" : "days") left", days < 30 ? .yellow : nil)
    }
}
