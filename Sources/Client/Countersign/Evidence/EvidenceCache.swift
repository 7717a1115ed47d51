// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers what was fetched, and lets connections that want the same thing at once share one fetch.
actor EvidenceCache {
    /// A source that one server may be told by is out of reach for another.
    private struct Key: Hashable {
        let source: EvidenceSource
        let reach: EvidenceReach
    }

    private struct Entry {
        let outcome: EvidenceOutcome
        let end: Date
    }

    /// Whatever its maker says, nothing is used for longer, so that news of a revocation is.
    static let longestUse: TimeInterval = 12 * 3600
    /// How long a source that gave nothing is left alone.
    private static let silence: TimeInterval = 60
    private static let countLimit = 256
    /// In bytes.
    private static let sizeLimit = 64 << 20

    private var entries: [Key: Entry] = [:]
    private var fetches: [Key: Task<EvidenceOutcome, Never>] = [:]

    /// What a source gives, from memory where it was asked lately.
    func evidence(
        from source: EvidenceSource, within reach: EvidenceReach, fetch: @escaping @Sendable () async -> EvidenceOutcome
    ) async throws -> EvidenceOutcome {
        let key = Key(source: source, reach: reach)
        if let entry = entries[key], Date() < entry.end { return entry.outcome }
        let task =
            fetches[key]
            ?? Task {
                let outcome = await fetch()
                finish(key, outcome)
                return outcome
            }
        fetches[key] = task
        return try await Self.value(of: task)
    }

    /// Lets a source be asked again soon, because its answer settled nothing: an attacker on the way may have made the answer.
    func doubt(_ source: EvidenceSource, within reach: EvidenceReach) {
        let key = Key(source: source, reach: reach)
        guard let entry = entries[key] else { return }
        entries[key] = Entry(outcome: entry.outcome, end: min(entry.end, Date() + Self.silence))
    }

    private func finish(_ key: Key, _ outcome: EvidenceOutcome) {
        fetches[key] = nil
        let (now, evidence) = (Date(), outcome.evidence)
        entries = entries.filter { now < $0.value.end }
        let size = entries.values.reduce(evidence?.size ?? 0) { $0 + ($1.outcome.evidence?.size ?? 0) }
        if entries.count >= Self.countLimit || size > Self.sizeLimit { entries = [:] }
        let use = evidence == nil ? Self.silence : Self.longestUse
        entries[key] = Entry(outcome: outcome, end: min(evidence?.nextUpdate ?? .distantFuture, now + use))
    }

    /// Waits for a fetch; a caller that is cancelled does not, and does not cancel it for the others.
    private static func value(of fetch: Task<EvidenceOutcome, Never>) async throws -> EvidenceOutcome {
        let (stream, continuation) = AsyncStream.makeStream(of: EvidenceOutcome.self)
        Task {
            continuation.yield(await fetch.value)
            continuation.finish()
        }
        for await value in stream { return value }
        throw CancellationError()
    }
}
