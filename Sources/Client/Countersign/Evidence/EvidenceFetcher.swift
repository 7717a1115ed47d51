// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// Fetches what verdicts want, for all connections of a session (RFC 5280 sections 4.2.2.1 and 4.2.1.13, RFC 6960 appendix A).
final class EvidenceFetcher: Sendable {
    private enum State {
        /// A session for each reach, so that no connection of one serves another; most sessions never fetch anything.
        case open([EvidenceReach: any EvidenceSession])
        case closed
    }

    private let state = NIOLockedValueBox(State.open([:]))
    private let open: @Sendable (EvidenceReach) -> any EvidenceSession
    private let timeout: Duration
    private let cache = EvidenceCache()
    /// The lists and responses that showed a certificate revoked, by their sources, the latest last.
    private let revoking = NIOLockedValueBox<[(source: EvidenceSource, evidence: FetchedEvidence)]>([])
    private static let revokingLimit = 64

    /// - Parameters:
    ///   - timeout: How long one source may take.
    ///   - open: Makes the session that fetches within a reach.
    init(timeout: Duration, open: @escaping @Sendable (EvidenceReach) -> any EvidenceSession) {
        (self.timeout, self.open) = (timeout, open)
    }

    /// The session that fetches within a reach, made when it is needed for the first time; `nil` once the fetcher is closed.
    private func session(within reach: EvidenceReach) -> (any EvidenceSession)? {
        state.withLockedValue { state in
            guard case .open(var sessions) = state else { return nil }
            if let session = sessions[reach] { return session }
            let session = open(reach)
            sessions[reach] = session
            state = .open(sessions)
            return session
        }
    }

    /// Fetches from a source, within a reach and the time that one source may take.
    func fetch(_ source: EvidenceSource, within reach: EvidenceReach) async throws -> EvidenceOutcome {
        guard let session = session(within: reach) else { return .nothing }
        let timeout = timeout
        return try await cache.evidence(from: source, within: reach) {
            await withTaskGroup(of: EvidenceOutcome.self) { race in
                race.addTask { await Self.get(source, in: session, within: reach) }
                race.addTask {
                    try? await Task.sleep(for: timeout)
                    return .nothing
                }
                defer { race.cancelAll() }
                return await race.next() ?? .nothing
            }
        }
    }

    private static func get(
        _ source: EvidenceSource, in session: any EvidenceSession, within reach: EvidenceReach
    ) async -> EvidenceOutcome {
        // A certificate may name a place, but no user and no password for it.
        guard source.place.droppingUserInfo == source.place, let host = try? Endpoint(of: source.place).host else {
            return .nothing
        }
        guard reach.includes(host) else { return .refused }
        do {
            let response = try await session.send(source.request)
            guard response.status == .ok else { return .nothing }
            let body = try await response.body.collect(upTo: source.sizeLimit)
            return FetchedEvidence(Array(body.readableBytesView), from: source).map { .fetched($0) } ?? .nothing
        } catch is AddressRefused {
            return .refused
        } catch {
            return .nothing
        }
    }

    /// The evidence that showed a certificate revoked: a source that fails or says something else later does not undo it.
    ///
    /// It shows nothing else once it is out of date.
    var knownRevocations: [FetchedEvidence] { revoking.withLockedValue { $0.map(\.evidence) } }

    /// Remembers evidence that showed a certificate revoked, for as long as the session lasts.
    func remember(_ evidence: FetchedEvidence, from source: EvidenceSource) {
        revoking.withLockedValue { revoking in
            revoking.removeAll { $0.source == source }
            if revoking.count >= Self.revokingLimit { revoking.removeFirst() }
            revoking.append((source, evidence))
        }
    }

    /// Says that what a source gave settled nothing.
    func doubt(_ source: EvidenceSource, within reach: EvidenceReach) async {
        await cache.doubt(source, within: reach)
    }

    func close() async {
        let last = state.withLockedValue { state in
            defer { state = .closed }
            return state
        }
        guard case .open(let sessions) = last else { return }
        for session in sessions.values { await session.close() }
    }
}

/// Sends the requests of an ``EvidenceFetcher``.
protocol EvidenceSession: Sendable {
    func send(_ request: Request) async throws -> Response
    func close() async
}
