// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
package import CommandSupport

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
