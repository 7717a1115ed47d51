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
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: try core.systemAnchors(for: policy))
        let verdict = evaluator.evaluate(chain, for: endpoint.host, at: Date())
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
