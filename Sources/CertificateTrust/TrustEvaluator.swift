// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decides whether a chain is good for a host, and says why.
public struct TrustEvaluator: Sendable {
    private let policy: TrustPolicy
    private let anchors: [AnchorStore]
    private let publicSuffixes: PublicSuffixList?

    /// Prepares to evaluate chains.
    ///
    /// - Parameters:
    ///   - policy: What chains must satisfy.
    ///   - systemAnchors: What ``TrustPolicy/Anchors/system`` means; unused when the policy names its own only.
    ///   - publicSuffixes: Where wildcards may not stand, by the Web's rules; `nil` leaves that unchecked.
    public init(policy: TrustPolicy, systemAnchors: AnchorStore, publicSuffixes: PublicSuffixList? = nil) {
        self.publicSuffixes = publicSuffixes
        self.policy = policy
        anchors =
            switch policy.anchors {
            case .system: [systemAnchors.with(policy.profile ?? .webPKI)]
            case .systemAnd(let added):
                [
                    AnchorStore(added).with(policy.profile ?? .privatePKI),
                    systemAnchors.with(policy.profile ?? .webPKI),
                ]
            case .only(let certificates): [AnchorStore(certificates).with(policy.profile ?? .privatePKI)]
            }
    }

    /// Searches for a path from a server's chain to an anchor (RFC 5280 section 6.1, RFC 4158).
    ///
    /// - Parameters:
    ///   - chain: What the server presented.
    ///   - host: The name connected to, matched per RFC 9525 section 6.
    ///   - time: The instant at which validity is checked.
    /// - Returns: Every path tried, and the check that each failed.
    public func evaluate(_ chain: PresentedChain, for host: HostName, at time: Date) -> Verdict {
        evaluate(chain, for: [.host(host)], requirements: PathRequirements(), at: time)
    }

    /// Searches for a path that is good for more than servers.
    ///
    /// - Parameters:
    ///   - chain: What the other side presented.
    ///   - peers: Every name that the leaf must be for; none leaves its names unchecked.
    ///   - requirements: What the path must be good for.
    ///   - time: The instant at which validity is checked.
    /// - Returns: Every path tried, and the check that each failed.
    package func evaluate(
        _ chain: PresentedChain, for peers: [PeerName], requirements: PathRequirements, at time: Date
    ) -> Verdict {
        guard policy.validation == .full else { return unvalidated(chain, peers) }
        var search = PathSearch(
            chain: chain, peers: peers, anchors: anchors, requirements: requirements, publicSuffixes: publicSuffixes,
            time: time)
        let found = search.run()
        var failures = leafFailures(chain.leaf, peers, requirements, time)
        if let found {
            failures += pinFailure(found)
        } else {
            failures += search.failures()
            // No path is never a success, whatever the search says of it.
            if failures.isEmpty { failures = [.issuerNotFound(of: CertificateSummary(chain.leaf))] }
        }
        failures = failures.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        return Verdict(
            host: peers.map(\.text).joined(separator: ", "), validation: .full, paths: search.paths,
            failures: failures.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
                .map(\.element))
    }

    /// Nothing was proved but possession of the leaf's key, so only that key can satisfy a pin.
    private func unvalidated(_ chain: PresentedChain, _ peers: [PeerName]) -> Verdict {
        Verdict(
            host: peers.map(\.text).joined(separator: ", "), validation: .dangerouslyDisabled, paths: [],
            failures: pinFailure([chain.leaf]))
    }

    private func pinFailure(_ path: [Certificate]) -> [TrustFailure] {
        let presented = path.map(Pin.init(publicKeyOf:))
        guard !policy.pins.isEmpty, policy.pins.isDisjoint(with: presented) else { return [] }
        return [.pinMismatch(pins: policy.pins.sorted { $0.description < $1.description }, presented: presented)]
    }

    private func leafFailures(
        _ leaf: Certificate, _ peers: [PeerName], _ requirements: PathRequirements, _ time: Date
    ) -> [TrustFailure] {
        [
            failure { () throws(TrustFailure) in try LeafChecks.usage(leaf, requirements) },
            failure { () throws(TrustFailure) in try ValidityCheck.check(leaf, at: time) },
        ].compactMap(\.self)
            + peers.compactMap { peer in
                failure { () throws(TrustFailure) in try LeafChecks.names(leaf, peer) }
            }
    }

    private func failure(of check: () throws(TrustFailure) -> Void) -> TrustFailure? {
        do {
            try check()
            return nil
        } catch {
            return error
        }
    }
}
