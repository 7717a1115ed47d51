// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Turns
import X509

extension Contender {
    /// The verification of the two signatures alone, with prepared keys and signatures: the minimum for any validation.
    static func signatures(of chain: BenchChain) throws -> Contender {
        let checks = try [(chain.leaf, chain.intermediate), (chain.intermediate, chain.root)].map(check)
        return Contender("the two signatures (swift-crypto)") {
            for isValid in checks where !isValid() { throw BenchError.badSignature }
        }
    }

    private static func check(_ issued: Certificate, by issuer: Certificate) throws -> () -> Bool {
        let bytes = issued.tbsCertificateBytes
        if let key = P256.Signing.PublicKey(issuer.publicKey) {
            let signature = try P256.Signing.ECDSASignature(derRepresentation: issued.signature.rawRepresentation)
            return { key.isValidSignature(signature, for: bytes) }
        }
        guard let key = _RSA.Signing.PublicKey(issuer.publicKey) else { throw BenchError.unexpectedKey }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: issued.signature.rawRepresentation)
        return { key.isValidSignature(signature, for: bytes, padding: .insecurePKCS1v1_5) }
    }
}
