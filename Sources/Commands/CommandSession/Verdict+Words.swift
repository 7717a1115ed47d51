// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import CommandSupport
import ErrorExplanations
package import EssentialFoundation
import X509

extension Verdict {
    /// The path that tells most: the trusted one, or one that only its leaf is at fault of, or the one of the headline.
    package var mainPath: Verdict.Path? {
        paths.last { $0.failure == nil } ?? paths.first { $0.failure == failure } ?? paths.first(where: \.endsInAnchor)
            ?? paths.max { $0.certificates.count < $1.certificates.count }
    }

    /// The verdict in a word or a few.
    package var headline: (word: String, ink: Ink) {
        guard isTrusted else { return ("not trusted", .red) }
        guard !isTrustedForItsKey else { return ("accepted for its key alone", .yellow) }
        return validation == .dangerouslyDisabled ? ("not validated", .red) : ("trusted", .green)
    }

    /// Every path tried but the one that tells most.
    package var otherPaths: [Verdict.Path] {
        guard let main = paths.lastIndex(where: { $0 == mainPath }) else { return paths }
        return paths.enumerated().filter { $0.offset != main }.map(\.element)
    }
}

extension CertificateSummary {
    /// Whole days until it ends, or since it ended.
    package func days(to time: Date) -> Int { Int(abs(notAfter.timeIntervalSince(time)) / 86_400) }

    /// The common name, or the whole subject where there is none.
    package var shortName: String {
        let names = subjectName.joined().filter { $0.type == .RDNAttributeType.commonName }
        let name = names.last.flatMap { String($0.value) }?.printable ?? ""
        return name.isEmpty ? (subject.isEmpty ? "(no subject)" : subject) : name
    }

    /// How long it is still valid, and how alarming that is.
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
