// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Algorithms of signatures by their identifiers (RFC 4055, RFC 5758, RFC 8410).
enum SignatureAlgorithms {
    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsaWithSHA2: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03]

    private static let rsa: [[UInt8]: Certificate.SignatureAlgorithm] = [
        pkcs1 + [11]: .sha256WithRSAEncryption, pkcs1 + [12]: .sha384WithRSAEncryption,
        pkcs1 + [13]: .sha512WithRSAEncryption,
    ]

    private static let others: [[UInt8]: Certificate.SignatureAlgorithm] = [
        ecdsaWithSHA2 + [2]: .ecdsaWithSHA256, ecdsaWithSHA2 + [3]: .ecdsaWithSHA384,
        ecdsaWithSHA2 + [4]: .ecdsaWithSHA512, [0x2b, 0x65, 0x70]: .ed25519,
    ]

    /// MD2, MD5 and SHA-1 with RSA, SHA-1 with ECDSA and DSA.
    private static let weak: Set<[UInt8]> = [
        pkcs1 + [2], pkcs1 + [4], pkcs1 + [5], [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01],
        [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03], [0x2b, 0x0e, 0x03, 0x02, 0x1d],
    ]

    static func read(_ algorithm: ArraySlice<UInt8>) throws(RevocationProblem) -> Certificate.SignatureAlgorithm {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), let first = fields.next(),
            first.tag == DERTag.objectIdentifier
        else { throw .malformed }
        let identifier = Array(first.content)
        guard !weak.contains(identifier) else { throw .weakSignature }
        // RSA has NULL for parameters, which may be left out (RFC 4055 section 5); the others have none.
        if let algorithm = rsa[identifier], fields.rest.isEmpty || fields.rest.elementsEqual([DERTag.null, 0]) {
            return algorithm
        }
        if let algorithm = others[identifier], fields.rest.isEmpty { return algorithm }
        throw .unsupportedAlgorithm
    }
}
