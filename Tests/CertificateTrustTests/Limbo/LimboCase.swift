// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import X509

@testable import CertificateTrust

/// A case of x509-limbo (https://x509-limbo.com), as in its schema.
struct LimboCase: Decodable {
    struct Peer: Decodable {
        let kind: String
        let value: String
    }

    struct Suite: Decodable { let testcases: [LimboCase] }

    let id: String
    let validationKind: String
    let trustedCerts: [String]
    let untrustedIntermediates: [String]
    let peerCertificate: String
    let validationTime: Date?
    let keyUsage: [String]
    let extendedKeyUsage: [String]
    let expectedResult: String
    let expectedPeerName: Peer?
    let expectedPeerNames: [Peer]
    let maxChainDepth: Int?
    let crls: [String]

    /// Reads the suite from `LIMBO`, else from beside the checkout; `nil` where it is not there.
    static func all() throws -> [LimboCase]? {
        let path =
            ProcessInfo.processInfo.environment["LIMBO"] ?? "../shared/testdata/x509-limbo/limbo.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            print("x509-limbo skipped: no \(path); set LIMBO to the path of limbo.json")
            return nil
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            if let date = try? Date(text, strategy: .iso8601) { return date }
            return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return try decoder.decode(Suite.self, from: data).testcases
    }

    /// What the chain came to: no failures where it is trusted, else their codes or why it cannot be read; and how long
    /// the evaluation took, without the parsing.
    func run(publicSuffixes: PublicSuffixList?) -> (codes: [String], time: Duration) {
        do {
            let chain = try chain()
            let anchors = trustedCerts.compactMap { try? Certificate(pemEncoded: $0) }
            let evaluator = TrustEvaluator(
                policy: TrustPolicy(anchors: .only(anchors)), systemAnchors: AnchorStore([]),
                publicSuffixes: publicSuffixes)
            let (peers, time) = (try peers(), validationTime ?? Date())
            var verdict: Verdict?
            let duration = ContinuousClock().measure {
                verdict = evaluator.evaluate(chain, for: peers, requirements: requirements, at: time)
            }
            return (verdict?.failures.map(text) ?? [], duration)
        } catch {
            return (["unreadable: \(error)"], .zero)
        }
    }

    private func chain() throws -> PresentedChain {
        let issuers = untrustedIntermediates.compactMap { try? Certificate(pemEncoded: $0) }
        guard let chain = PresentedChain([try Certificate(pemEncoded: peerCertificate)] + issuers) else {
            throw Unusable()
        }
        return chain
    }

    private func text(_ failure: TrustFailure) -> String {
        guard case .nonconforming(let certificate, let rule) = failure else { return failure.code }
        return "\(rule.rawValue) of \(certificate.subject)"
    }

    private var requirements: PathRequirements {
        var requirements = PathRequirements(
            purpose: validationKind == "CLIENT" ? .client : .server,
            keyUse: keyUsage.contains("digitalSignature") ? .digitalSignature : .anything, maximumDepth: maxChainDepth)
        requirements.rules = rules
        return requirements
    }

    /// The suite keeps its profiles apart by name; what is under neither is about paths, not about form.
    private var rules: RuleSet {
        switch id.split(separator: ":").first {
        case "webpki", "online": .baselineRequirements
        case "rfc5280": .rfc5280
        default: .privatePKI
        }
    }

    private func peers() throws -> [PeerName] {
        try ([expectedPeerName].compactMap(\.self) + expectedPeerNames).map {
            $0.kind == "RFC822" ? .mailbox($0.value) : .host(try HostName($0.value))
        }
    }

    struct Unusable: Error {}
}
