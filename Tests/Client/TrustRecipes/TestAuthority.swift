// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
package import Foundation
import SwiftASN1
package import X509

/// The contents of a test certificate; the defaults make a valid server certificate.
package struct Recipe {
    package var commonName = "server"
    package var names: [GeneralName]? = [.dnsName("a.test")]
    package var notBefore = Instant.now - 86400
    package var notAfter = Instant.now + 86400
    package var constraints: BasicConstraints? = .notCertificateAuthority
    package var keyUsage: KeyUsage? = KeyUsage(digitalSignature: true)
    package var purposes: [ExtendedKeyUsage.Usage]? = [.serverAuth]
    package var nameConstraints: NameConstraints?
    package var extra: [Certificate.Extension] = []
    package var version = Certificate.Version.v3
    package var serialNumber: [UInt8] = [0x40, 1, 2, 3]
    package var key = P256.Signing.PrivateKey()

    package init() {}

    /// Returns the recipe of an authority without constraints.
    package static func authority(_ commonName: String, key: P256.Signing.PrivateKey = .init()) -> Self {
        Recipe().with {
            $0.commonName = commonName
            $0.names = nil
            $0.constraints = .isCertificateAuthority(maxPathLength: nil)
            $0.keyUsage = KeyUsage(keyCertSign: true, cRLSign: true)
            $0.purposes = nil
            $0.key = key
        }
    }

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    fileprivate func extensions() throws -> Certificate.Extensions {
        var extensions = Certificate.Extensions()
        if let constraints { try extensions.append(Certificate.Extension(constraints, critical: true)) }
        if let keyUsage { try extensions.append(Certificate.Extension(keyUsage, critical: true)) }
        if let purposes {
            try extensions.append(Certificate.Extension(ExtendedKeyUsage(purposes), critical: false))
        }
        if let names {
            try extensions.append(Certificate.Extension(SubjectAlternativeNames(names), critical: false))
        }
        if let nameConstraints { try extensions.append(Certificate.Extension(nameConstraints, critical: true)) }
        for one in extra { try extensions.append(one) }
        return extensions
    }
}

package enum Instant {
    /// 2026-06-01 00:00:00 UTC, the time at which tests evaluate.
    package static let now = Date(timeIntervalSince1970: 1_780_272_000)
}

/// A certificate with its key, which can issue certificates even if its extensions forbid it.
package struct TestAuthority {
    package let certificate: Certificate
    package let key: P256.Signing.PrivateKey

    /// Creates a self-signed authority.
    package init(root recipe: Recipe) throws {
        key = recipe.key
        certificate = try Self.certificate(
            recipe, issuer: DistinguishedName { CommonName(recipe.commonName) }, recipe.key)
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    package func issue(_ recipe: Recipe) throws -> TestAuthority {
        TestAuthority(certificate: try Self.certificate(recipe, issuer: certificate.subject, key), key: recipe.key)
    }

    /// Returns the certificate with one changed bit in its signature.
    package func forged() throws -> Certificate {
        var bytes = try certificate.bytes()
        bytes[bytes.count - 1] ^= 1
        return try Certificate(derEncoded: bytes)
    }

    private static func certificate(
        _ recipe: Recipe, issuer: DistinguishedName, _ issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: recipe.version, serialNumber: .init(bytes: recipe.serialNumber),
            publicKey: .init(recipe.key.publicKey), notValidBefore: recipe.notBefore, notValidAfter: recipe.notAfter,
            issuer: issuer, subject: DistinguishedName { CommonName(recipe.commonName) },
            extensions: recipe.extensions(), issuerPrivateKey: .init(issuerKey))
    }
}

extension Certificate {
    package func bytes() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}
