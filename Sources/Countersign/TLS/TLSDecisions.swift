// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities

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
    /// Where the chain is only looked at: nobody is asked, and nothing is accepted or presented.
    var inspection: TrustInspection?

    /// Evaluates a chain, and asks about one that is not trusted but could be accepted.
    func decideTrust(_ chain: PresentedChain, record: ConnectionRecord) async throws {
        let verdict = try await evaluate(chain)
        record.note { $0.verdict = verdict }
        if let inspection { return inspection.note(record) }
        let space = space(.serverTrust)
        let statement = Challenge.Statement.serverTrust(chain, verdict)
        let proposed = core.memory.acceptedTrust(in: space, policy: policy, chain: chain)
        let challenge = Challenge(space: space, proposedCredential: proposed, statement: statement)
        guard !verdict.isTrusted else { return core.report(.challenged(challenge, .trusted)) }
        let refusal = SessionError.notTrusted(endpoint, chain, verdict)
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
            core.memory.remember(credential, in: space, policy: policy)
        case .cancelled:
            throw SessionError.challengeCancelled(space)
        default:
            throw refusal
        }
    }

    /// Evaluates a chain, with what has to be fetched and remembered for it.
    private func evaluate(_ chain: PresentedChain) async throws -> Verdict {
        let evaluator = try core.evaluator(for: policy)
        var evidence = TrustEvidence()
        let verdict: Verdict
        if let fetcher = core.evidence {
            let deadline = ContinuousClock.now + core.configuration.evidenceTimeout
            var gathering = EvidenceGathering(fetcher: fetcher, deadline: deadline) { [core] source, succeeded in
                core.report(.fetchedEvidence(source.place, succeeded: succeeded))
            }
            verdict = try await gathering.verdict {
                evaluator.evaluate(chain, for: endpoint.host, at: Date(), with: $0)
            }
            evidence = gathering.evidence
        } else {
            verdict = evaluator.evaluate(chain, for: endpoint.host, at: Date())
        }
        guard let seen = verdict.seenFirst else { return verdict }
        let remembered = try await core.configuration.serverMemory.firstSeen(seen, at: endpoint)
        guard remembered != seen else { return verdict }
        evidence.remembered = remembered
        return evaluator.evaluate(chain, for: endpoint.host, at: Date(), with: evidence)
    }

    /// Finds the identity to present; the server has asked for one.
    func chooseIdentity(record: ConnectionRecord) async throws -> Identity? {
        guard inspection == nil else { return nil }
        let credential = try await chooseIdentity()
        guard case .identity(let identity) = credential?.kind else { return nil }
        record.note { $0.identity = credential }
        return identity
    }

    /// Asks for an identity unless one is remembered.
    func chooseIdentity() async throws -> Credential? {
        let space = space(.clientCertificate)
        let proposed = core.memory.identity(in: space)
        let challenge = Challenge(space: space, proposedCredential: proposed, statement: .clientCertificateRequest)
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
    /// The server, where it is trusted only because it was never seen before.
    fileprivate var seenFirst: RememberedServer? {
        for case .firstUse(let server) in remarks where isTrusted { return server }
        return nil
    }
}
