// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Identities
import Secrets
import TrustRecipes
import X509

/// One identity in each kind of file, without many iterations.
enum IdentitySeeds {
    static func all() throws -> [[UInt8]] {
        let root = try TestAuthority(root: .authority("root"))
        let leaf = try root.issue(Recipe())
        let identity = try Identity(
            chain: [leaf.certificate, root.certificate], privateKey: Certificate.PrivateKey(leaf.key))
        let passphrase = Secret("swordfish")
        let pkcs12 = try PKCS12.encode(
            [.init(identity, friendlyName: "name")], passphrase: passphrase, encryption: .aes256(iterations: 1))
        let encrypted = try identity.pemEncodedPrivateKey(passphrase: passphrase, iterations: 1)
        let pem = try identity.pemEncodedChain
        let pkcs7 = try CertificateFile.pkcs7(identity.chain)
        return [
            [0] + pkcs12, [1] + pkcs12, [2] + pkcs12, [1] + pem + encrypted, [2] + pem + encrypted,
            [1] + pem + (try identity.pemEncodedPrivateKey), [2] + (try identity.derEncodedPrivateKey), [3] + pkcs7,
            [3] + pem, [3] + (try CertificateFile.pkcs7PEM(identity.chain)),
            [3] + (try CertificateFile.der(root.certificate)),
        ]
    }
}
