// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import Identities
import SwiftASN1
import TLSServer
import TrustRecipes
import X509

extension TLSServerContext {
    /// The usual identity, made once.
    static let identity: Identity = {
        do {
            return try .selfSigned(Certificate.PrivateKey(P256.Signing.PrivateKey()))
        } catch {
            preconditionFailure("The identity of the tests cannot be made: \(error)")
        }
    }()

    convenience init(_ settings: Settings = Settings()) throws { try self.init(settings, identity: Self.identity) }
}

extension Identity {
    /// Makes a certificate that is its own issuer.
    static func selfSigned(
        _ key: Certificate.PrivateKey, issuerKey: Certificate.PrivateKey? = nil
    ) throws -> Identity {
        let name = try DistinguishedName { CommonName("a.test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(bytes: [0x40, 1]), publicKey: key.publicKey,
            notValidBefore: Instant.now - 86400, notValidAfter: Instant.now + 86400, issuer: name, subject: name,
            extensions: try Certificate.Extensions { KeyUsage(digitalSignature: true) },
            issuerPrivateKey: issuerKey ?? key)
        return try Identity(chain: [certificate], privateKey: key)
    }
}
