// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import EssentialFoundation
public import NIOCore
public import NIOSSL

/// A verifier of the certificate chains of TLS peers, whose callbacks replace the verification of NIOSSL.
///
/// The verification runs in a task, so that it never blocks an event loop, and always completes the promise of the
/// callback. Use one verifier for many connections, because it reads and parses each anchor once.
public struct PeerVerifier: Sendable {
    /// The result of a verification: the verdict on a trusted chain, or the reason for which the chain was refused.
    public typealias Outcome = Result<Verdict, PeerVerificationError>

    /// A function that receives the outcome of each verification.
    ///
    /// The verifier calls it in the task of the verification, before NIOSSL learns the result.
    public typealias Report = @Sendable (Outcome) -> Void

    /// The peers whose chains are verified.
    private enum Peers: Sendable {
        case server(HostName)
        /// Clients with one of the names; `nil` for clients with any name.
        case clients([PeerName]?)
    }

    private let peers: Peers
    private let policy: TrustPolicy
    private let evaluator: TrustEvaluator
    private let evidence: (any EvidenceFetching)?
    private var report: Report

    private init(
        _ peers: Peers, under policy: TrustPolicy, evidence: (any EvidenceFetching)?, report: @escaping Report
    ) throws {
        guard policy.validation != .firstUse else { throw PeerVerificationError.serverMemoryRequired }
        guard evidence != nil || (policy.revocation == .whereDemanded && policy.missingIssuers == .notFetched) else {
            throw PeerVerificationError.evidenceFetcherRequired
        }
        (self.peers, self.policy, self.evidence, self.report) = (peers, policy, evidence, report)
        evaluator = TrustEvaluator(
            policy: policy,
            systemAnchors: try AnchorStore.system(for: policy) { () throws(AnchorStoreError) in try .system() },
            publicSuffixes: SystemPublicSuffixes.list)
    }

    /// Makes the verifier of a server.
    init(of host: HostName, under policy: TrustPolicy, evidence: (any EvidenceFetching)?, report: @escaping Report)
        throws
    {
        try self.init(.server(host), under: policy, evidence: evidence, report: report)
    }

    /// Makes the verifier of clients with one of the names; `nil` for any name.
    init(
        ofClients names: [PeerName]?, under policy: TrustPolicy, evidence: (any EvidenceFetching)?,
        report: @escaping Report
    ) throws {
        try self.init(.clients(names), under: policy, evidence: evidence, report: report)
    }

    /// The callback for the parameter `customVerificationCallback` of NIOSSL's handlers.
    public var callback: @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void {
        { certificates, promise in
            promise.completeWithTask {
                switch await decide(on: certificates) {
                case .success: .certificateVerified
                case .failure: .failed
                }
            }
        }
    }

    /// The callback for the parameter `customVerificationCallbackWithMetadata` of NIOSSL's handlers, which also receive
    /// the verified path.
    public var callbackWithMetadata:
        @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void
    {
        { certificates, promise in
            promise.completeWithTask {
                switch await decide(on: certificates) {
                case .success(let verdict): .certificateVerified(VerificationMetadata(verdict.validatedChain))
                case .failure: .failed
                }
            }
        }
    }

    /// The server's name for the TLS extension `server_name`, in A-labels; `nil` for an IP address, which the extension
    /// must not contain (RFC 6066 section 3), and for clients.
    public var serverName: String? {
        if case .server(let host) = peers, !host.isAddress { host.description } else { nil }
    }

    /// Returns a verifier with the same policy and anchors that reports to another function, such as the one of a
    /// connection.
    public func reporting(to report: @escaping Report) -> PeerVerifier {
        var copy = self
        copy.report = report
        return copy
    }

    private func decide(on certificates: [NIOSSLCertificate]) async -> Outcome {
        let outcome = await outcome(of: certificates)
        report(outcome)
        return outcome
    }

    private func outcome(of certificates: [NIOSSLCertificate]) async -> Outcome {
        let encoded = (try? certificates.map { try $0.toDERBytes() }) ?? []
        guard let chain = PresentedChain(derEncoded: encoded) else { return .failure(.malformedCertificate(peer)) }
        let verdict = await verdict(on: chain)
        return verdict.isTrusted ? .success(verdict) : .failure(.notTrusted(peer, chain, verdict))
    }

    private func verdict(on chain: PresentedChain) async -> Verdict {
        guard let evidence else { return evaluate(chain, with: TrustEvidence()) }
        let host: HostName? = if case .server(let host) = peers { host } else { nil }
        return await evidence.verdict(under: policy, for: host) { evaluate(chain, with: $0) }
    }

    private func evaluate(_ chain: PresentedChain, with evidence: TrustEvidence) -> Verdict {
        switch peers {
        case .server(let host): evaluator.evaluate(chain, for: host, at: Date(), with: evidence)
        case .clients(let names): evaluator.evaluate(client: chain, withAny: names, at: Date(), with: evidence)
        }
    }

    private var peer: PeerVerificationError.Peer {
        if case .server(let host) = peers { .server(host) } else { .client }
    }
}

extension TrustPolicy {
    /// Makes the verifier of a server's chain, for the TLS handler of a client.
    ///
    /// - Parameters:
    ///   - host: The DNS name, in A-labels, or the IP address that the server's certificate must contain (RFC 9525
    ///     section 6).
    ///   - evidence: The fetcher for policies that check revocation or fetch missing issuers;
    ///     `Countersign.EvidenceFetcher` is one.
    ///   - report: Receives the outcome of each verification.
    /// - Returns: The verifier, with NIOSSL's callbacks.
    /// - Throws: `HostNameError` if the host is neither a name nor an address, `AnchorStoreError` if the system has no
    ///   anchors and the policy no others, and `PeerVerificationError` if the policy cannot be applied.
    public func verifying(
        _ host: String, evidence: (any EvidenceFetching)? = nil, report: @escaping PeerVerifier.Report = { _ in }
    ) throws -> PeerVerifier {
        try PeerVerifier(of: HostName(host), under: self, evidence: evidence, report: report)
    }

    /// Makes the verifier of the chains of clients, for the TLS handler of a server.
    ///
    /// The path of a chain must allow client authentication (RFC 5280 section 4.2.1.12).
    ///
    /// - Parameters:
    ///   - names: The DNS names, IP addresses and email addresses of the admitted clients, one of which a certificate
    ///     must contain as a subject alternative name; `nil` admits every client with a trusted chain.
    ///   - evidence: The fetcher for policies that check revocation or fetch missing issuers;
    ///     `Countersign.EvidenceFetcher` is one.
    ///   - report: Receives the outcome of each verification.
    /// - Returns: The verifier, with NIOSSL's callbacks.
    /// - Throws: `HostNameError` if a name without an at sign is neither a DNS name nor an address, `AnchorStoreError`
    ///   if the system has no anchors and the policy no others, and `PeerVerificationError` if the policy cannot be
    ///   applied.
    public func verifyingClients(
        named names: [String]? = nil, evidence: (any EvidenceFetching)? = nil,
        report: @escaping PeerVerifier.Report = { _ in }
    ) throws -> PeerVerifier {
        try PeerVerifier(
            ofClients: names?.map { try PeerName($0) }, under: self, evidence: evidence, report: report)
    }
}

extension Verdict {
    /// The trusted path for NIOSSL; `nil` if the peer is trusted without a path.
    fileprivate var validatedChain: ValidatedCertificateChain? {
        let certificates = try? path?.map { try NIOSSLCertificate(bytes: $0.derBytes, format: .der) }
        return certificates.map { ValidatedCertificateChain($0) }
    }
}
