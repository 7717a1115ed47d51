// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TrustRecipes
import X509

/// Responses of every kind, complete and to be signed, and a responder's certificate.
enum ResponseSeeds {
    static func all(_ scene: RevocationScene) throws -> [[UInt8]] {
        let (certificate, root, responder) = (scene.server.certificate, scene.root, scene.responder)
        let fromIssuer = try recipes(scene).map { try $0.encoded(for: certificate, issuer: root) }
        let fromResponder = try recipes(scene).map {
            try $0.with { $0.certificates = [responder.certificate] }
                .encoded(for: certificate, issuer: root, by: responder)
        }
        let refusals = (1...6).map(ResponseRecipe.refusal)
        let complete = (fromIssuer + fromResponder + refusals).map { [ResponseFuzz.Form.complete.rawValue] + $0 }
        let toBeSigned = [(ResponseFuzz.Form.fromIssuer, fromIssuer), (.fromResponder, fromResponder)]
            .flatMap { form, responses in
                responses.compactMap { SignedParts(response: $0) }.map { [form.rawValue] + $0.signedBytes }
            }
        let responderParts = try SignedParts(responder.certificate.bytes())
        let all = complete + toBeSigned + [[ResponseFuzz.Form.responder.rawValue] + (responderParts?.signedBytes ?? [])]
        return all + all.map { [$0[0] | ResponseFuzz.nonceBit] + $0.dropFirst() }
    }

    private static func recipes(_ scene: RevocationScene) throws -> [ResponseRecipe] {
        let other = try ResponseRecipe().with { $0.serialNumber = [9] }
            .answer(for: scene.server.certificate, issuer: scene.root)
        return [
            ResponseRecipe(),
            ResponseRecipe().with { $0.hash = .sha256 },
            ResponseRecipe().with { ($0.status, $0.responder) = (ResponseRecipe.revoked(reason: 1), .key) },
            ResponseRecipe().with { $0.status = ResponseRecipe.unknown },
            ResponseRecipe().with { $0.nextUpdate = nil },
            ResponseRecipe().with { $0.otherSingleResponses = [other, other] },
            ResponseRecipe().with { $0.extensions = [ResponseRecipe.nonce(ResponseFuzz.nonce)] },
            ResponseRecipe().with {
                $0.answerExtensions = [Encoding.certificateExtension([0x2a, 3], critical: true, [5, 0])]
            },
        ]
    }
}
