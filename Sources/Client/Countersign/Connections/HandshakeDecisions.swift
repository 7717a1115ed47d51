// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import Challenges
import ErrorExplanations
import EssentialFoundation
import HTTPTransport
import Identities
import NIOConcurrencyHelpers
import NIOCore
import SwiftASN1
import TLSTransport
import X509

/// The session's decisions in a TLS handshake: whether to trust the chain, and which identity to present.
final class HandshakeDecisions: Sendable {
    /// The decisions made in the handshake.
    struct Facts: Sendable {
        var chain: PresentedChain?
        /// The channel binding that ties authentication answers to the leaf certificate.
        var channelBinding: ChannelBinding?
        var verdict: Verdict?
        /// Whether the verdict was made on the event loop, and has not been reported yet.
        var isTrustUnreported = false
        /// The time at which the revocation information behind the verdict expires.
        var verdictExpiry: Date?
        /// The credential with which the untrusted chain was accepted.
        var acceptedTrust: Credential?
        /// The identity that was presented, in a resumption with the session's first handshake.
        var identity: Credential?
        /// The identity that was remembered at the start of the handshake.
        var knownIdentity: Credential?
    }

    let core: SessionCore
    private let reporter: EventReporter
    let peer: SessionError.Peer
    let policy: TrustPolicy
    /// The transport's record of the connection.
    let record: PeerRecord
    /// Whether the connection leads directly to the endpoint, without a proxy in between.
    private let isDirect: Bool
    /// The inspection for which the chain is evaluated.
    ///
    /// During an inspection, no handler is asked, no untrusted chain is accepted, and no identity is presented.
    private let inspection: TrustInspection?
    private let box = NIOLockedValueBox(Facts())

    init(
        reporter: EventReporter, peer: SessionError.Peer, policy: TrustPolicy, record: PeerRecord = PeerRecord(),
        isDirect: Bool = true, inspection: TrustInspection? = nil
    ) {
        (core, self.reporter, self.peer, self.policy, self.record) = (reporter.core, reporter, peer, policy, record)
        (self.isDirect, self.inspection) = (isDirect, inspection)
    }

    var facts: Facts { box.withLockedValue { $0 } }

    private var endpoint: HostEndpoint { peer.endpoint }

    private func note(_ change: (inout Facts) -> Void) {
        box.withLockedValue(change)
    }

    /// Evaluates a chain, lets the program refuse it, and asks a handler about an untrusted chain that may be accepted.
    ///
    /// A refusal at a resumption concerns certificates that the server may have replaced, so a full handshake follows.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/notTrusted(_:_:_:)``, which the transport and the stages pass on to
    ///   the caller of `send` unchanged.
    private func decideTrust(
        _ chain: PresentedChain, with presented: TrustEvidence, isResumption: Bool
    ) async throws {
        let address = isDirect ? record.facts.peerAddress : nil
        let (verdict, end) = try await evaluate(chain, with: presented, at: address)
        note { ($0.verdict, $0.verdictExpiry) = (verdict, end) }
        record.noteTrust(verdict.isTrusted)
        if let inspection { return inspection.note(self) }
        let space = space(.serverTrust)
        let statement = Challenge.Statement.serverTrust(chain, verdict)
        let proposed =
            verdict.isTrusted
            ? nil
            : core.memory.acceptedTrust(in: space, policy: policy, chain: chain, failures: verdict.failureCodes)
        let challenge = Challenge(space: space, proposedCredential: proposed, statement: statement)
        let refusal = TLSRefusal(
            verdict.alert,
            because: isResumption ? ReconnectRequired() : SessionError.trust(.notTrusted(peer, chain, verdict)))
        if isResumption, !verdict.isTrusted, proposed == nil { throw refusal }
        if try await isRefused(chain, verdict) {
            reporter.report(.challenged(challenge, .rejectedProtectionSpace))
            throw refusal
        }
        guard !verdict.isTrusted else { return reporter.report(.challenged(challenge, .trusted)) }
        // If any check fails for a host with pins, the user cannot override the error (RFC 7469 section 2.6). If path
        // building failed, the pins could not even be checked.
        guard verdict.isRecoverable, !policy.pins.isEnforced(at: Date()) else {
            reporter.report(.challenged(challenge, .performedDefault))
            throw refusal
        }
        let answer: SessionEvent.Answer =
            if let proposed { .used(proposed) } else { try await core.ask(challenge) }
        reporter.report(.challenged(challenge, answer))
        switch answer {
        case .used(let credential) where credential.kind == .serverTrust(chain):
            note { $0.acceptedTrust = credential }
        case .cancelled:
            throw TLSRefusal(.userCanceled, because: SessionError.cancelled(.challenge(space)))
        default:
            throw refusal
        }
    }

    /// Returns whether the program refuses the evaluated chain.
    private func isRefused(_ chain: PresentedChain, _ verdict: Verdict) async throws -> Bool {
        guard let decide = core.configuration.serverTrustDecision else { return false }
        return try await decide(ServerTrust(of: endpoint, chain, verdict, record.facts)) == .refuse
    }

    /// Evaluates a chain with the evidence of the handshake, fetched evidence and the remembered key of the server.
    ///
    /// - Returns: The verdict, and the time at which its revocation information expires.
    private func evaluate(
        _ chain: PresentedChain, with presented: TrustEvidence, at address: SocketAddress?
    ) async throws -> (Verdict, end: Date?) {
        let evaluator = try core.evaluator(for: policy)
        let remembered =
            policy.validation == .firstUse ? try await core.configuration.serverMemory.server(at: endpoint) : nil
        func verdict(_ evidence: TrustEvidence) -> Verdict {
            var evidence = evidence
            evidence.remembered = remembered
            evidence.timestamps = presented.timestamps
            evidence.revocation.responses += presented.revocation.responses
            evidence.add(core.configuration.evidence)
            return evaluator.evaluate(chain, for: endpoint.host, at: inspection?.time ?? Date(), with: evidence)
        }
        guard let fetcher = core.evidence else {
            let verdict = verdict(TrustEvidence())
            return (verdict, verdict.expiry(under: policy))
        }
        let reach = EvidenceReach(under: policy, address: address, host: endpoint.host)
        var gathering = fetcher.gathering(within: reach) { [reporter] source, outcome in
            reporter.report(.fetched(from: source, outcome))
        }
        let last = try await gathering.verdict(by: verdict)
        return (last, [gathering.end, last.expiry(under: policy)].compactMap(\.self).min())
    }

    /// Remembers the basis of the decision, now that the server has proved possession of its key.
    ///
    /// - Throws: ``SessionError`` of ``TrustError/notTrusted(_:_:_:)`` if the memory declines the server, or a
    ///   concurrent connection has remembered another key first.
    private func remember() async throws {
        guard inspection == nil else { return }
        let facts = facts
        guard let chain = facts.chain, let verdict = facts.verdict else { return }
        if let accepted = facts.acceptedTrust {
            core.memory.remember(accepted, in: space(.serverTrust), policy: policy, failures: verdict.failureCodes)
        }
        guard let seen = verdict.seenFirst else { return }
        let memory = core.configuration.serverMemory
        guard let first = try await memory.firstSeen(seen, at: endpoint, verdict: verdict) else {
            throw SessionError.trust(.notTrusted(peer, chain, verdict))
        }
        guard first.key != seen.key, verdict.path == nil else { return }
        let evaluator = try core.evaluator(for: policy)
        let changed = evaluator.evaluate(
            chain, for: endpoint.host, at: Date(), with: TrustEvidence(remembered: first))
        note { $0.verdict = changed }
        throw SessionError.trust(.notTrusted(peer, chain, changed))
    }

    private func space(_ method: AuthenticationMethod) -> ProtectionSpace {
        ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: "https", realm: nil, method: method,
            role: .init(peer.role))
    }
}

extension HandshakeDecisions: HandshakeDelegate {
    // An inspection shows what the server presents now.
    var allowsResumption: Bool { inspection == nil }

    func knownIdentity() -> PresentedIdentity? {
        let known = core.memory.identity(in: space(.clientCertificate))
        note { $0.knownIdentity = known }
        return known?.identity
    }

    func trustsImmediately(_ credentials: TLSServerCredentials) -> Bool {
        guard inspection == nil, core.configuration.serverTrustDecision == nil, policy.validation == .full,
            core.evidence?.knownRevocations.isEmpty ?? true,
            let reading = core.chains.remembered(credentials.chain),
            let evaluator = try? core.evaluator(for: policy)
        else { return false }
        var evidence = TrustEvidence(credentials)
        evidence.add(core.configuration.evidence)
        let verdict = evaluator.evaluate(reading.chain, for: endpoint.host, at: Date(), with: evidence)
        guard verdict.isTrusted, verdict.wanted.isEmpty else { return false }
        note { facts in
            (facts.chain, facts.channelBinding) = (reading.chain, reading.channelBinding)
            (facts.verdict, facts.verdictExpiry) = (verdict, verdict.expiry(under: policy))
            facts.isTrustUnreported = true
        }
        record.noteTrust(true)
        return true
    }

    /// Reports a decision that was made on the event loop.
    ///
    /// Observers may block, so they must not run on the event loop.
    func handshakeAdvanced() {
        let trust = box.withLockedValue { facts -> (PresentedChain, Verdict)? in
            guard facts.isTrustUnreported, let chain = facts.chain, let verdict = facts.verdict else { return nil }
            facts.isTrustUnreported = false
            return (chain, verdict)
        }
        guard let (chain, verdict) = trust else { return }
        let statement = Challenge.Statement.serverTrust(chain, verdict)
        let challenge = Challenge(space: space(.serverTrust), proposedCredential: nil, statement: statement)
        reporter.report(.challenged(challenge, .trusted))
    }

    func evaluateTrust(_ credentials: TLSServerCredentials) async throws {
        guard let reading = core.chains.reading(of: credentials.chain) else {
            throw TLSRefusal(.badCertificate, because: SessionError.trust(.malformedCertificate(peer)))
        }
        note { ($0.chain, $0.channelBinding) = (reading.chain, reading.channelBinding) }
        try await decideTrust(
            reading.chain, with: TrustEvidence(credentials), isResumption: credentials.isResumption)
    }

    func identity(for request: TLSIdentityRequest) async throws -> PresentedIdentity? {
        guard inspection == nil else { return nil }
        let credential = try await reporter.chooseIdentity(for: ClientCertificateRequest(request), at: peer)
        guard let identity = credential?.identity else { return nil }
        note { $0.identity = credential }
        return identity
    }

    func handshakeCompleted() async throws {
        if record.facts.tls?.isResumed == true { note { $0.identity = $0.knownIdentity } }
        try await remember()
    }
}

extension EventReporter {
    /// Asks for an identity unless one is remembered.
    func chooseIdentity(
        for request: ClientCertificateRequest, at peer: ConnectionPeer
    ) async throws -> Credential? {
        let space = ProtectionSpace.clientCertificate(at: peer)
        let proposed = core.memory.identity(in: space)
        let challenge = Challenge(
            space: space, proposedCredential: proposed, statement: .clientCertificateRequest(request))
        let answer: SessionEvent.Answer =
            if let proposed { .used(proposed) } else { try await core.ask(challenge) }
        report(.challenged(challenge, answer))
        switch answer {
        case .used(let credential):
            guard credential.identity != nil else {
                throw SessionError.authentication(
                    .unanswerableChallenge(space, .unsuitableCredential(.clientCertificate)))
            }
            core.memory.remember(credential, in: space)
            return credential
        case .cancelled:
            throw SessionError.cancelled(.challenge(space))
        default:
            return nil
        }
    }
}

extension TrustEvidence {
    /// Adds the program's evidence: its lists become the first ones, and its responses the last ones.
    package mutating func add(_ given: TrustEvidence) {
        issuers += given.issuers
        unread += given.unread
        revocation.silent += given.revocation.silent
        revocation.lists = given.revocation.lists + revocation.lists
        revocation.responses += given.revocation.responses
    }
}

extension TrustEvidence {
    /// Creates the evidence that a server sent in the handshake.
    fileprivate init(_ credentials: TLSServerCredentials) {
        self.init(
            revocation: RevocationEvidence(responses: credentials.staple.map { [.init(stapled: $0)] } ?? []),
            timestamps: credentials.timestamps.map(TimestampList.init(handshake:)))
    }
}

extension Verdict {
    /// The alert that tells the server the reason of a refusal (RFC 8446 section 6.2).
    fileprivate var alert: TLSAlert {
        switch failures.first {
        case .selfSigned, .unknownRoot, .issuerNotFound: .unknownCA
        case .expired, .notYetValid: .certificateExpired
        case .revoked: .certificateRevoked
        case .badStaple: .badCertificateStatusResponse
        case .unknownCriticalExtension, .keyUsage, .extendedKeyUsage, .unsupportedKey, .unsupportedSignatureAlgorithm:
            .unsupportedCertificate
        case .hostMismatch, .noSubjectAlternativeNames, .badSignature, .notAnAuthority, .pathTooLong, .nameConstraints,
            .malformedExtension, .weakSignature, .weakKey, .nonconforming:
            .badCertificate
        default: .certificateUnknown
        }
    }

    /// Returns the time at which the first of the revocation answers that the policy requires expires; `nil` if it
    /// requires none.
    fileprivate func expiry(under policy: TrustPolicy) -> Date? {
        guard policy.revocation != .whereDemanded, isTrusted, let findings = paths.last?.revocation else { return nil }
        return findings.compactMap { if case .good(let end) = $0.answer { end } else { nil } }.min()
    }

    /// The server to remember, if this connection was the first to it.
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

    /// The codes of the failures that the user accepted together with the chain.
    fileprivate var failureCodes: Set<String> { Set(failures.map(\.code)) }
}

extension ConnectionReport.TLS {
    init?(_ decisions: HandshakeDecisions) {
        let (facts, connection) = (decisions.facts, decisions.record.facts)
        guard let chain = facts.chain, let verdict = facts.verdict, let tls = connection.tls,
            let settings = connection.tlsSettings
        else { return nil }
        version = tls.version.name
        cipherSuite = tls.cipherSuite
        library = settings.library
        keyExchangeGroup = tls.group?.description
        signatureScheme = tls.signatureScheme?.description
        isResumed = tls.isResumed
        self.chain = chain
        self.verdict = verdict
        clientCertificate =
            if case .identity(let identity) = facts.identity?.kind { identity.certificate } else { nil }
        unansweredCertificateRequest =
            connection.isAnonymous ? connection.identityRequest.map(ClientCertificateRequest.init) : nil
    }
}

extension ServerTrust {
    init(of endpoint: HostEndpoint, _ chain: PresentedChain, _ verdict: Verdict, _ connection: PeerRecord.Facts) {
        self.init(
            endpoint: endpoint, chain: chain, verdict: verdict,
            tlsVersion: connection.isHandshakeComplete ? connection.tls?.version.name : nil,
            cipherSuite: connection.tls?.cipherSuite, tlsLibrary: connection.tlsSettings?.library ?? .boringSSL,
            keyExchangeGroup: connection.tls?.group?.description,
            signatureScheme: connection.tls?.signatureScheme?.description,
            certificateRequest: connection.identityRequest.map { ClientCertificateRequest($0) })
    }
}

extension ClientCertificateRequest {
    /// Creates the request; if one issuer name cannot be parsed, the issuers count as unknown, because that issuer may
    /// have issued the user's certificate.
    init(_ request: TLSIdentityRequest?) {
        self.init(
            acceptableIssuers: try? request?.issuers.map { try DistinguishedName(derEncoded: DER.parse($0)) },
            signatureSchemes: request?.signatureSchemes)
        isTLS13 = request?.version == .tls13
    }
}

/// The decisions on an origin's chain, retained for an inspection even if the handshake fails.
final class TrustInspection: Sendable {
    private let box = NIOLockedValueBox<HandshakeDecisions?>(nil)
    /// The instant at which the chain is evaluated; `nil` for the present.
    let time: Date?

    init(at time: Date?) {
        self.time = time
    }

    /// The decisions on the chain; `nil` if the server sent no chain.
    var decisions: HandshakeDecisions? { box.withLockedValue { $0 } }

    /// Stores the decisions; called when the chain has been evaluated.
    func note(_ decisions: HandshakeDecisions) { box.withLockedValue { $0 = decisions } }

    /// Releases the decisions, which retain the inspection.
    func end() { box.withLockedValue { $0 = nil } }
}
