// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// Lists of every kind, complete and to be signed.
enum ListSeeds {
    static func all(_ scene: RevocationScene) throws -> [[UInt8]] {
        let lists = try recipes(scene).map { try $0.encoded(by: scene.root) }
        let toBeSigned = lists.compactMap { SignedParts($0)?.signedBytes }
        let text = PEMDocument(type: "X509 CRL", derBytes: lists[0]).pemString
        let seeds: [(ListFuzz.Form, [[UInt8]])] = [
            (.der, lists), (.toBeSigned, toBeSigned), (.pem, [Array(text.utf8)]),
        ]
        return seeds.flatMap { form, inputs in inputs.map { [form.rawValue] + $0 } }
    }

    private static func recipes(_ scene: RevocationScene) throws -> [ListRecipe] {
        let serialNumber = Array(scene.server.certificate.serialNumber.bytes)
        let directoryName = try Encoding.tagged(4, scene.root.certificate.subject.bytes())
        let scope = Encoding.tagged(0, Encoding.tagged(0, directoryName))
        return [
            ListRecipe(),
            ListRecipe().with { $0.entries = [.init([1], reason: 4), .init(serialNumber, reason: 1), .init([2])] },
            ListRecipe().with { $0.entries = [.init(serialNumber, reason: 8)] },
            ListRecipe().with { ($0.version, $0.number) = (nil, nil) },
            ListRecipe().with { $0.nextUpdate = nil },
            ListRecipe().with { $0.thisUpdate = Encoding.generalizedTime(Instant.now - 60) },
            ListRecipe().with { $0.extensions = [Encoding.extensionNumber(27, critical: true, [2, 1, 6])] },
            ListRecipe().with {
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence(scope))]
            },
            // The list covers only servers (RFC 5280 section 5.2.5), then some reasons, then other issuers too.
            ListRecipe().with {
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x81, 1, 0xff]))]
            },
            ListRecipe().with {
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x83, 2, 1, 6]))]
            },
            ListRecipe().with {
                $0.extensions = [Encoding.extensionNumber(28, critical: true, Encoding.sequence([0x84, 1, 0xff]))]
                let issuer = Encoding.extensionNumber(29, critical: true, Encoding.sequence(directoryName))
                $0.entries = [.init([3], extensions: [issuer])]
            },
        ]
    }
}
