// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import CertificateTrust

/// The certificates, lists and responses of the file `vectors.tsv`, which OpenSSL made.
struct AlgorithmVectors {
    private var items: [String: (root: String, bytes: [UInt8])] = [:]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "vectors.tsv")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            try #require(fields.count == 4)
            items["\(fields[0]) \(fields[1])"] = (fields[2], Array(try #require(Data(base64Encoded: fields[3]))))
        }
    }

    func bytes(_ kind: String, _ name: String) throws -> [UInt8] { try #require(items["\(kind) \(name)"]?.bytes) }

    /// Returns the root of a leaf.
    func root(_ leaf: String) throws -> [UInt8] {
        try bytes("root", try #require(items["leaf \(leaf)"]?.root))
    }

    /// Returns the list or response of a name.
    func evidence(_ kind: String, _ name: String) throws -> RevocationEvidence {
        let bytes = try bytes(kind, name)
        return kind == "list"
            ? RevocationEvidence(lists: [try CertificateRevocationList(derEncoded: bytes)])
            : RevocationEvidence(responses: [.init(try OCSPResponse(derEncoded: bytes))])
    }

    /// Evaluates a leaf, possibly changed, below an anchor or its own root; revocation is checked if there is evidence.
    func verdict(
        _ leaf: String, _ change: (inout [UInt8]) -> Void = { _ in }, root: [UInt8]? = nil,
        accepting weaknesses: Set<TrustPolicy.Weakness> = [], evidence: RevocationEvidence? = nil
    ) throws -> Verdict {
        var bytes = try bytes("leaf", leaf)
        change(&bytes)
        let anchor = try #require(CertificateSummary(anchor: root ?? self.root(leaf)))
        var policy = TrustPolicy(anchors: .only([anchor]), acceptedWeaknesses: weaknesses)
        if evidence != nil { policy.revocation = .hardFail }
        let chain = try #require(PresentedChain(derEncoded: [bytes]))
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            chain, for: try HostName("a.test"), at: chain.leaf.notBefore + 3600,
            with: TrustEvidence(revocation: evidence ?? RevocationEvidence()))
    }
}

/// Changes one bit of the signature, near its end.
func forge(_ bytes: inout [UInt8]) { bytes[bytes.count - 5] ^= 1 }
