// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What came of asking one source.
enum EvidenceOutcome: Sendable {
    case fetched(FetchedEvidence)
    /// No answer, or none of use.
    case nothing
    /// The source lies in the local network, where its server is not; it was not asked.
    case refused

    /// `nil` where nothing was fetched.
    var evidence: FetchedEvidence? {
        if case .fetched(let evidence) = self { evidence } else { nil }
    }

    var isRefused: Bool {
        if case .refused = self { true } else { false }
    }
}
