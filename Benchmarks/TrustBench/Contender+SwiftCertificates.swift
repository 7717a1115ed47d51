// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Turns
import X509

extension Contender {
    /// Measures its Verifier with the policies that its documentation recommends for servers.
    static func swiftCertificates(_ chain: BenchChain) -> [Contender] {
        let roots = CertificateStore([chain.root])
        let (leaf, issuers) = (chain.leaf, CertificateStore([chain.intermediate]))
        return [
            Contender("swift-certificates, parsed") { try await verify(leaf, issuers, roots) },
            Contender("swift-certificates, from bytes") {
                let leaf = try Certificate(derEncoded: chain.leafBytes)
                let intermediate = try Certificate(derEncoded: chain.intermediateBytes)
                try await verify(leaf, CertificateStore([intermediate]), roots)
            },
        ]
    }

    private static func verify(
        _ leaf: Certificate, _ issuers: CertificateStore, _ roots: CertificateStore
    ) async throws {
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            ServerIdentityPolicy(serverHostname: BenchChain.host, serverIP: nil)
        }
        guard case .validCertificate = await verifier.validate(leaf: leaf, intermediates: issuers) else {
            throw BenchError.notTrusted(by: "swift-certificates")
        }
    }
}
