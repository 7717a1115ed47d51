// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module XMLSignature.

import CertificateTrust
import Foundation
import Identities
import X509
import XMLSignature

func sign(_ document: [UInt8], with identity: Identity) async throws -> [UInt8] {
    let signer = SignatureSigner(key: try PrivateSigningKey(identity.privateKey), certificates: identity.chain)
    let signed = try await signer.sign(document)
    return signed
}

func verify(_ signed: [UInt8], root: Certificate) throws {
    let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only([root])), systemAnchors: AnchorStore([]))
    let verifier = SignatureVerifier(trusting: .certificate(CertifiedSigner(evaluator: evaluator, at: Date())))
    for content in try verifier.verify(signed).contents {
        print(content.location, String(decoding: content.bytes, as: UTF8.self))
    }
}
