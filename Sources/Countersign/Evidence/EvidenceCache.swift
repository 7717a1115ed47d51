// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers what was fetched, and lets connections that want the same thing at once share one fetch.
actor EvidenceCache {
    private struct Entry {
        /// `nil` where the source gave nothing.
        let evidence: FetchedEvidence?
        let end: Date
    }

    /// Whatever its maker says, nothing is used for longer, so that news of a revocation is.
    static let longestUse: TimeInterval = 12 * 3600
    /// How long a source that gave nothing is left alone.
    private static let silence: TimeInterval = 60
    private static let countLimit = 256
    /// In bytes.
    private static let sizeLimit = 64 << 20

    private var entries: [EvidenceSource: Entry] = [:]
    private var fetches: [EvidenceSource: Task<FetchedEvidence?, Never>] = [:]

    /// What a source gives, from memory where it was asked lately.
    func evidence(
        from source: EvidenceSource, fetch: @escaping @Sendable () async -> FetchedEvidence?
    ) async throws -> FetchedEvidence? {
        if let entry = entries[source], Date() < entry.end { return entry.evidence }
        let task =
            fetches[source]
            ?? Task {
                let evidence = await fetch()
                finish(source, evidence)
                return evidence
            }
        fetches[source] = task
        return try await Self.value(of: task)
    }

    /// Lets what a source gave be asked for again soon, because it settled nothing: whoever is on the way may have made it.
    func doubt(_ source: EvidenceSource) {
        guard let entry = entries[source] else { return }
        entries[source] = Entry(evidence: entry.evidence, end: min(entry.end, Date() + Self.silence))
    }

    private func finish(_ source: EvidenceSource, _ evidence: FetchedEvidence?) {
        fetches[source] = nil
        let now = Date()
        entries = entries.filter { now < $0.value.end }
        let size = entries.values.reduce(evidence?.size ?? 0) { $0 + ($1.evidence?.size ?? 0) }
        if entries.count >= Self.countLimit || size > Self.sizeLimit { entries = [:] }
        let use = evidence == nil ? Self.silence : Self.longestUse
        entries[source] = Entry(evidence: evidence, end: min(evidence?.nextUpdate ?? .distantFuture, now + use))
    }

    /// Waits for a fetch; a caller that is cancelled does not, and does not cancel it for the others.
    private static func value(of fetch: Task<FetchedEvidence?, Never>) async throws -> FetchedEvidence? {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedEvidence?.self)
        Task {
            continuation.yield(await fetch.value)
            continuation.finish()
        }
        for await value in stream { return value }
        throw CancellationError()
    }
}
