// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A chain, the verdict on it, and the circumstances: all that is printed and drawn.
struct Inspection {
    /// Where the chain came from.
    enum Source {
        case server(ServerTrust)
        case file(String)
    }

    let source: Source
    /// The name that the leaf was compared with; `nil` where there was none.
    let host: HostName?
    let chain: PresentedChain
    let verdict: Verdict
    /// The instant of the evaluation.
    let time: Date
    /// Whether the policy has pins.
    let isPinned: Bool
    /// Whether the policy asks for Certificate Transparency.
    let asksForLogs: Bool
    /// Where evidence was looked for.
    let fetches: [EvidenceFetch]
    /// The use of the files of evidence.
    let evidence: [EvidenceFileUse]

    init(_ trust: ServerTrust, policy: TrustPolicy, fetches: [EvidenceFetch], at time: Date) {
        source = .server(trust)
        host = trust.endpoint.host
        chain = trust.chain
        verdict = trust.verdict
        isPinned = !policy.pins.isEmpty
        asksForLogs = policy.transparency != nil
        self.fetches = fetches
        evidence = []
        self.time = time
    }

    init(
        file: String, host: HostName?, chain: PresentedChain, verdict: Verdict, policy: TrustPolicy,
        evidence: [EvidenceFileUse], at time: Date
    ) {
        source = .file(file)
        self.host = host
        self.chain = chain
        self.verdict = verdict
        isPinned = !policy.pins.isEmpty
        asksForLogs = policy.transparency != nil
        fetches = []
        self.evidence = evidence
        self.time = time
    }

    /// Leaf first, as they came.
    var presented: [CertificateSummary] { [chain.leaf] + chain.issuers }

    /// What was inspected, for a person.
    var name: String {
        switch source {
        case .server(let trust): trust.endpoint.description
        case .file(let path): path.printable + (host.map { " for \($0)" } ?? "")
        }
    }

    var status: CommandStatus { verdict.isTrusted ? .done : .notTrusted }
}

extension CertificateSummary {
    /// The kind of key, and by what the certificate is signed.
    var algorithms: String {
        var key = publicKey.map { "\($0)".replacing(".PublicKey", with: "") } ?? "unknown key"
        if let family = ["P", "RSA"].first(where: key.hasPrefix) { key = family + "-" + key.dropFirst(family.count) }
        let signature =
            signatureAlgorithm.map { "\($0)".replacing("SignatureAlgorithm.", with: "") } ?? "another algorithm"
        return "\(key), signed with \(signature)".printable
    }

    /// The places that it names for its issuer's certificate (RFC 5280 section 4.2.2.1).
    var issuerPlaces: [String] {
        let access = (try? certificate?.extensions.authorityInformationAccess) ?? AuthorityInformationAccess()
        return access.filter { $0.method == .issuingCA }.compactMap { description in
            guard case .uniformResourceIdentifier(let url) = description.location else { return nil }
            return url.printable
        }
    }
}
