// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation

/// Evaluates a chain repeatedly, each time with more of the evidence that the previous verdict requested.
struct EvidenceGathering {
    /// The maximum number of sources.
    ///
    /// Real chains need one or two; an attacker could name more to make the session send requests to them.
    private static let sourceLimit = 12

    let fetcher: EvidenceFetcher
    let reach: EvidenceReach
    let deadline: ContinuousClock.Instant
    let report: @Sendable (EvidenceSource, EvidenceOutcome) -> Void
    private(set) var evidence = TrustEvidence()
    /// The earliest expiry time of the revocation information; `nil` if there is none.
    private(set) var end: Date?
    private var asked: [EvidenceSource: EvidenceRequest] = [:]
    private var fetched: [EvidenceSource: FetchedEvidence] = [:]

    init(
        fetcher: EvidenceFetcher, reach: EvidenceReach, deadline: ContinuousClock.Instant,
        report: @escaping @Sendable (EvidenceSource, EvidenceOutcome) -> Void
    ) {
        self.fetcher = fetcher
        self.reach = reach
        self.deadline = deadline
        self.report = report
        for one in fetcher.knownRevocations { one.evidence.add(to: &evidence, from: one.source.origin(about: nil)) }
    }

    /// Fetches until the verdict requests no further evidence, or no more is available.
    mutating func verdict(by evaluate: (TrustEvidence) -> Verdict) async throws -> Verdict {
        var verdict = evaluate(evidence)
        while deadline > .now {
            let sources = next(for: verdict)
            guard !sources.isEmpty else { break }
            var hasChanged = false
            for (source, outcome) in try await fetch(sources) {
                let origin = asked[source].flatMap { source.origin(about: $0.certificate) }
                switch outcome {
                case .fetched(let one):
                    fetched[source] = one
                    one.add(to: &evidence, from: origin)
                    end = [end, one.end].compactMap(\.self).min()
                    hasChanged = true
                case .nothing(let problem):
                    guard let origin else { continue }
                    evidence.revocation.silent.append(.init(origin, problem))
                }
            }
            if hasChanged { verdict = evaluate(evidence) }
        }
        // The verdict names the sources that gave nothing.
        if !evidence.revocation.silent.isEmpty { verdict = evaluate(evidence) }
        rememberRevocation(by: verdict)
        for (source, request) in asked where verdict.wanted.contains(request) {
            await fetcher.markInsufficient(source, within: reach)
        }
        return verdict
    }

    /// Remembers the evidence of a revocation.
    ///
    /// A certificate on hold is not remembered, because the hold may be released.
    private func rememberRevocation(by verdict: Verdict) {
        for case .revoked(let certificate, _, let reason) in verdict.failures where reason != .certificateHold {
            for (source, evidence) in fetched {
                if case .revocation(certificate, _, _, _)? = asked[source] { fetcher.remember(evidence, from: source) }
            }
        }
    }

    /// Returns the next untried source for each request of the verdict.
    private mutating func next(for verdict: Verdict) -> [EvidenceSource] {
        var sources: [EvidenceSource] = []
        for request in verdict.wanted where asked.count < Self.sourceLimit {
            guard let left = EvidenceSource.all(for: request).first(where: { asked[$0] == nil }) else { continue }
            asked[left] = request
            sources.append(left)
        }
        return sources
    }

    private func fetch(_ sources: [EvidenceSource]) async throws -> [(EvidenceSource, EvidenceOutcome)] {
        let (fetcher, reach, report) = (fetcher, reach, report)
        return try await withThrowingTaskGroup(of: (EvidenceSource, EvidenceOutcome).self) { group in
            for source in sources {
                group.addTask {
                    let outcome = try await fetcher.fetch(source, within: reach)
                    report(source, outcome)
                    return (source, outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
