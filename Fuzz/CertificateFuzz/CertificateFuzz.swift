// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import FuzzDriver
import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// Compares this library's certificate reader with that of swift-certificates.
@main
enum CertificateFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in try seeds() }) { bytes, count in
            CertificateFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    /// Certificates with every extension that the reader decodes.
    private static func seeds() throws -> [[UInt8]] {
        let names: [GeneralName] = [
            .dnsName("*.a.test"), .ipAddress(ASN1OctetString(contentBytes: [10, 0, 0, 1])), .rfc822Name("a@a.test"),
            .uniformResourceIdentifier("https://a.test/"), .directoryName(try DistinguishedName { CommonName("a") }),
        ]
        let policies: ArraySlice<UInt8> = [0x30, 8, 0x30, 6, 6, 4, 0x55, 0x1d, 0x20, 0]
        let root = try TestAuthority(root: .authority("root"))
        let intermediate = try root.issue(
            .authority("intermediate").with {
                $0.constraints = .isCertificateAuthority(maxPathLength: 3)
                $0.nameConstraints = NameConstraints(permittedDNSDomains: ["test"])
                $0.extra = [.init(oid: [2, 5, 29, 32], critical: true, value: policies)]
            })
        let leaf = try intermediate.issue(
            Recipe().with {
                $0.names = names
                $0.purposes = [.serverAuth, .codeSigning, .any]
                $0.extra = [.init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 3, 2, 1, 5])]
            })
        return try [leaf, intermediate, root].map { try $0.certificate.bytes() }
    }

    private static func test(_ input: [UInt8]) {
        let chain = PresentedChain(derEncoded: [input])
        let anchor = CertificateSummary(anchor: input)
        guard let read = chain?.leaf ?? anchor else { return }
        if read.problem == nil {
            precondition(anchor != nil, "a certificate that can be presented cannot be an anchor")
        }
        // OpenSSL's trust settings can follow an anchor.
        let isSame =
            chain?.leaf.problem == nil && chain != nil
            ? read.derBytes == input : input.starts(with: read.derBytes)
        precondition(isSame, "the bytes differ from those that were read")
        if read.problem == nil, let typed = try? Certificate(derEncoded: input) {
            precondition(read.notBefore == typed.notValidBefore && read.notAfter == typed.notValidAfter, "other times")
            let summary = CertificateSummary(typed)
            precondition(read.subject == summary.subject && read.issuer == summary.issuer, "other names")
            precondition(read.serialNumber == summary.serialNumber, "another serial number")
        }
        guard let chain else { return }
        let copy = (try? JSONEncoder().encode(read)).flatMap {
            try? JSONDecoder().decode(CertificateSummary.self, from: $0)
        }
        precondition(copy == read, "JSON changes a certificate")
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only([])), systemAnchors: AnchorStore([]))
        guard let host = try? HostName("a.test") else { return }
        let verdict = evaluator.evaluate(chain, for: host, at: Instant.now)
        precondition(!verdict.isTrusted, "trusted without an anchor")
    }
}
