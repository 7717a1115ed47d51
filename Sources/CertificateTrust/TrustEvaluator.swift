// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decides whether a chain is good for a host, and says why.
public struct TrustEvaluator: Sendable {
    private let policy: TrustPolicy
    private let systemAnchors: AnchorStore

    /// - Parameter systemAnchors: What ``TrustPolicy/Anchors/system`` means; unused when the policy names its own anchors only.
    public init(policy: TrustPolicy, systemAnchors: AnchorStore) {
        self.policy = policy
        self.systemAnchors = systemAnchors
    }

    public func evaluate(_ chain: PresentedChain, for host: HostName, at time: Date) -> Verdict {
        policy.validation == .dangerouslyDisabled ? Verdict(isTrusted: true, failure: nil) : Verdict(isTrusted: false, failure: .unknownIssuer)
    }
}
