// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation
package import SwiftASN1
package import X509

/// A key that signs and cannot be exported, like one in a token.
package struct HeldKey: CustomPrivateKey {
    private struct NotExportable: Error {}

    package static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

    private let key: Certificate.PrivateKey

    package init(key: Certificate.PrivateKey) { self.key = key }

    package var publicKey: Certificate.PublicKey { key.publicKey }
    package var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
    package var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [] }

    package func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        try key.sign(bytes: bytes, signatureAlgorithm: signatureAlgorithm)
    }

    package func serialize(into coder: inout DER.Serializer) throws { throw NotExportable() }
}
