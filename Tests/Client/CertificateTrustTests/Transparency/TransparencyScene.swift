// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// A root, an intermediate, and server certificates with signed timestamps of certificate logs.
struct TransparencyScene {
    let root: TestAuthority
    let intermediate: TestAuthority
    /// The recipe of the server certificate without timestamps.
    let recipe: Recipe

    init(days: Double = 2, _ change: (inout Recipe) -> Void = { _ in }) throws {
        root = try TestAuthority(root: .authority("root"))
        intermediate = try root.issue(.authority("intermediate"))
        recipe = Recipe().with {
            // The last second counts toward the lifetime.
            ($0.notBefore, $0.notAfter) = (Instant.now - 86_400, Instant.now + (days - 1) * 86_400 - 1)
            change(&$0)
        }
    }

    /// Issues a certificate with an embedded timestamp list.
    func server(list: [UInt8]) throws -> Certificate {
        try intermediate.issue(recipe.with { $0.extra.append(TestLog.certificateExtension(list)) }).certificate
    }

    /// Issues a certificate with an embedded timestamp of each log.
    func server(_ logs: [TestLog], at time: Date = Instant.now - 3600) throws -> Certificate {
        try server(list: TestLog.list(try logs.map { try embedded($0, at: time) }))
    }

    /// Returns a log's timestamp for the certificate that ``server(list:)`` issues.
    func embedded(_ log: TestLog, at time: Date = Instant.now - 3600, issuer: Certificate? = nil) throws -> [UInt8] {
        try log.timestamp(
            beforeIssuing: intermediate.issue(recipe).certificate, issuer: issuer ?? intermediate.certificate, at: time)
    }

    /// Returns the verdict on a server certificate.
    func verdict(
        _ server: Certificate, _ logs: [TestLog], _ rule: CertificateTransparencyRule = .chrome,
        tls: [[UInt8]] = [], responses: [[UInt8]] = [], listTime: String? = "2026-05-20T12:00:00Z"
    ) throws -> Verdict {
        var evidence = TrustEvidence()
        if !tls.isEmpty { evidence.timestamps = try TimestampList(tlsEncoded: TestLog.list(tls)) }
        evidence.revocation.responses = try responses.map { .init(try OCSPResponse(derEncoded: $0)) }
        let list = try TransparencyLogList(json: TestLog.json(logs, time: listTime))
        let policy = TrustPolicy(
            anchors: .only([root.certificate]), transparency: CertificateTransparency(logs: list, rule: rule))
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain([server, intermediate.certificate])), for: try HostName("a.test"),
            at: Instant.now, with: evidence)
    }

    /// Returns an OCSP response for a server certificate, with a timestamp list.
    func response(for server: Certificate, list: [UInt8], _ change: (inout ResponseRecipe) -> Void = { _ in }) throws
        -> [UInt8]
    {
        try ResponseRecipe().with {
            $0.answerExtensions = [TestLog.responseExtension(list)]
            change(&$0)
        }.encoded(for: server, issuer: intermediate)
    }
}

/// Returns the status of every timestamp, in the order of the verdict.
func statuses(_ verdict: Verdict) -> [TimestampFinding.Status] { verdict.timestamps.map(\.status) }

/// Returns the reason why the timestamps do not satisfy the rule, if they do not.
func shortfall(_ verdict: Verdict) -> TransparencyShortfall.Reason? {
    guard case .transparencyInsufficient(_, let shortfall)? = verdict.failure else { return nil }
    return shortfall.reason
}
