// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// A root and a server certificate that it has issued, the subject of the revocation checks.
struct RevocationFixture {
    static let serialNumber: [UInt8] = [0x40, 1, 2, 3]
    static let revokedAt = Instant.now - 3600

    let root: TestAuthority
    let server: TestAuthority

    init(_ recipe: Recipe = Recipe(), root: Recipe = .authority("root")) throws {
        self.root = try TestAuthority(root: root)
        server = try self.root.issue(recipe)
    }

    func status(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], nonce: [UInt8]? = nil, at time: Date = Instant.now
    ) throws -> RevocationStatus {
        let evidence = RevocationEvidence(
            lists: try lists.map { try CertificateRevocationList(derEncoded: $0) },
            responses: try responses.map { .init(try OCSPResponse(derEncoded: $0), nonce: nonce) })
        return RevocationCheck.status(
            of: server.certificate, issuedBy: root.certificate, evidence: evidence, at: time)
    }

    func list(_ change: (inout ListRecipe) -> Void = { _ in }) throws -> [UInt8] {
        try ListRecipe().with(change).encoded(by: root)
    }

    func response(
        by signer: TestAuthority? = nil, _ change: (inout ResponseRecipe) -> Void = { _ in }
    ) throws -> [UInt8] {
        try ResponseRecipe().with(change).encoded(for: server.certificate, issuer: root, by: signer)
    }

    /// Issues a responder certificate from the root.
    func responder(_ change: (inout Recipe) -> Void = { _ in }) throws -> TestAuthority {
        try root.issue(Self.responder.with(change))
    }

    static let responder = Recipe().with {
        $0.commonName = "responder"
        $0.names = nil
        $0.purposes = [.ocspSigning]
        $0.serialNumber = [0x55]
    }
}

func bytes(base64: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: base64)))
}
