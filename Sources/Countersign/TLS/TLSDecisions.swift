// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The session's answers to the two questions of a TLS handshake.
struct TLSDecisions: Sendable {
    let core: SessionCore
    let endpoint: Endpoint
    let role: ProtectionSpace.Role
    let policy: TrustPolicy
    /// Whether the connection leads to the endpoint itself, and not to a proxy before it.
    var isDirect = true
    /// Where the chain is only looked at: no handler is asked, and nothing is accepted or presented.
    var inspection: TrustInspection?

    var peer: SessionError.Peer { SessionError.Peer(endpoint, role: role) }

    /// Evaluates a chain, and asks about one that is not trusted but could be accepted.
    func decideTrust(_ chain: PresentedChain, record: ConnectionRecord) async throws {
        let address = isDirect ? record.facts.peerAddress : nil
        let (verdict, end) = try await evaluate(chain, at: address)
        record.note { ($0.verdict, $0.verdictEnd) = (verdict, end) }
        if let inspection { return inspection.note(record) }
        let space = space(.serverTrust)
        let statement = Challenge.Statement.serverTrust(chain, verdict)
        let proposed =
            verdict.isTrusted
            ? nil
            : core.memory.acceptedTrust(in: space, policy: policy, chain: chain, failures: verdict.failureCodes)
        let challenge = Challenge(space: space, proposedCredential: proposed, statement: statement)
        guard !verdict.isTrusted else { return core.report(.challenged(challenge, .trusted)) }
        let refusal = SessionError.notTrusted(peer, chain, verdict)
        // A host with pins that fails any check is refused without recourse (RFC 7469 section 2.6); a chain without a path
        // has not even met its pins.
        guard verdict.isRecoverable, !policy.pins.isEnforced(at: Date()) else {
            core.report(.challenged(challenge, .performedDefault))
            throw refusal
        }
        let answer: SessionEvent.Answer =
            if let proposed { .used(proposed) } else { try await core.ask(challenge) }
        core.report(.challenged(challenge, answer))
        switch answer {
        case .used(let credential) where credential.kind == .serverTrust(chain):
            record.note { $0.acceptedTrust = credential }
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            throw refusal
        }
    }

    /// Evaluates a chain that was read before, where that is all there is to do; called on the event loop.
    ///
    /// - Returns: Whether it is trusted; where it is not, nothing is decided.
    func trustsAtOnce(_ certificates: [NIOSSLCertificate], record: ConnectionRecord) -> Bool {
        guard inspection == nil, policy.validation == .full,
            let reading = (try? certificates.map { try $0.toDERBytes() }).flatMap(core.chains.remembered),
            let evaluator = try? core.evaluator(for: policy)
        else { return false }
        let verdict = evaluator.evaluate(reading.chain, for: endpoint.host, at: Date())
        guard verdict.isTrusted, verdict.wanted.isEmpty else { return false }
        record.note { facts in
            (facts.chain, facts.channelBinding) = (reading.chain, reading.channelBinding)
            (facts.verdict, facts.isTrustUnreported) = (verdict, true)
        }
        return true
    }

    /// Reports what was decided on the event loop; observers may block, and must not run there.
    func reportTrust(of record: ConnectionRecord) {
        var trust: (PresentedChain, Verdict)?
        record.note { facts in
            guard facts.isTrustUnreported, let chain = facts.chain, let verdict = facts.verdict else { return }
            (trust, facts.isTrustUnreported) = ((chain, verdict), false)
        }
        guard let (chain, verdict) = trust else { return }
        let statement = Challenge.Statement.serverTrust(chain, verdict)
        let challenge = Challenge(space: space(.serverTrust), proposedCredential: nil, statement: statement)
        core.report(.challenged(challenge, .trusted))
    }

    /// Evaluates a chain, with what has to be fetched and remembered for it.
    ///
    /// - Returns: The verdict, and when what it says of revocation is out of date.
    private func evaluate(_ chain: PresentedChain, at address: SocketAddress?) async throws -> (Verdict, end: Date?) {
        let evaluator = try core.evaluator(for: policy)
        let remembered =
            policy.validation == .firstUse ? try await core.configuration.serverMemory.server(at: endpoint) : nil
        func verdict(_ evidence: TrustEvidence) -> Verdict {
            var evidence = evidence
            evidence.remembered = remembered
            return evaluator.evaluate(chain, for: endpoint.host, at: Date(), with: evidence)
        }
        guard let fetcher = core.evidence else { return (verdict(TrustEvidence()), nil) }
        let deadline = ContinuousClock.now + core.configuration.evidenceTimeout
        let reach = EvidenceReach(under: policy, address: address, host: endpoint.host)
        var gathering = EvidenceGathering(fetcher: fetcher, reach: reach, deadline: deadline) {
            [core] source, outcome in
            core.report(
                outcome.isRefused
                    ? .refusedEvidence(source.place)
                    : .fetchedEvidence(source.place, succeeded: outcome.evidence != nil))
        }
        return (try await gathering.verdict(by: verdict), gathering.end)
    }

    /// Remembers what the handshake was decided by, now that the server has proved possession of its key.
    ///
    /// - Throws: ``SessionError/notTrusted(_:_:_:)`` where another connection has seen another key first.
    func remember(_ record: ConnectionRecord) async throws {
        guard inspection == nil else { return }
        let facts = record.facts
        guard let chain = facts.chain, let verdict = facts.verdict else { return }
        if let accepted = facts.acceptedTrust {
            core.memory.remember(accepted, in: space(.serverTrust), policy: policy, failures: verdict.failureCodes)
        }
        guard let seen = verdict.seenFirst else { return }
        let first = try await core.configuration.serverMemory.firstSeen(seen, at: endpoint)
        guard first.key != seen.key, verdict.path == nil else { return }
        let evaluator = try core.evaluator(for: policy)
        let changed = evaluator.evaluate(
            chain, for: endpoint.host, at: Date(), with: TrustEvidence(remembered: first))
        record.note { $0.verdict = changed }
        throw SessionError.notTrusted(peer, chain, changed)
    }

    /// Finds the identity to present; the server has asked for one.
    func chooseIdentity(for request: CertificateRequest, record: ConnectionRecord) async throws -> Identity? {
        guard inspection == nil else { return nil }
        let credential = try await chooseIdentity(for: request)
        guard case .identity(let identity) = credential?.kind else { return nil }
        record.note { $0.identity = credential }
        return identity
    }

    /// Asks for an identity unless one is remembered.
    func chooseIdentity(for request: CertificateRequest) async throws -> Credential? {
        let space = space(.clientCertificate)
        let proposed = core.memory.identity(in: space)
        let challenge = Challenge(
            space: space, proposedCredential: proposed, statement: .clientCertificateRequest(request))
        let answer: SessionEvent.Answer =
            if let proposed { .used(proposed) } else { try await core.ask(challenge) }
        core.report(.challenged(challenge, answer))
        switch answer {
        case .used(let credential):
            guard case .identity = credential.kind else {
                throw SessionError.unanswerableChallenge(space, .unsuitableCredential(.clientCertificate))
            }
            core.memory.remember(credential, in: space)
            return credential
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            return nil
        }
    }

    private func space(_ method: AuthenticationMethod) -> ProtectionSpace {
        ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: "https", realm: nil, method: method, role: role)
    }
}

extension Verdict {
    /// The server, where it was never seen before.
    fileprivate var seenFirst: RememberedServer? {
        guard isTrusted else { return nil }
        for remark in remarks {
            switch remark {
            case .firstUse(let server), .seenFirst(let server): return server
            default: continue
            }
        }
        return nil
    }

    /// What a person accepted, when he accepted the chain.
    fileprivate var failureCodes: Set<String> { Set(failures.map(\.code)) }
}
