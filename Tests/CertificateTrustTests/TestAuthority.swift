// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import X509

/// What a test certificate says; the defaults make a good server certificate.
struct Recipe {
    var commonName = "server"
    var names: [GeneralName]? = [.dnsName("a.test")]
    var notBefore = Instant.now - 86400
    var notAfter = Instant.now + 86400
    var constraints: BasicConstraints? = .notCertificateAuthority
    var keyUsage: KeyUsage? = KeyUsage(digitalSignature: true)
    var purposes: [ExtendedKeyUsage.Usage]? = [.serverAuth]
    var nameConstraints: NameConstraints?
    var extra: [Certificate.Extension] = []
    var version = Certificate.Version.v3
    var serialNumber: [UInt8] = [0x40, 1, 2, 3]
    var key = P256.Signing.PrivateKey()

    /// An authority without limits.
    static func authority(_ commonName: String, key: P256.Signing.PrivateKey = .init()) -> Self {
        Self(
            commonName: commonName, names: nil, constraints: .isCertificateAuthority(maxPathLength: nil),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true), purposes: nil, key: key)
    }

    func with(_ change: (inout Self) -> Void) -> Self {
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

enum Instant {
    /// 2026-06-01 00:00:00 UTC, the time at which tests evaluate.
    static let now = Date(timeIntervalSince1970: 1_780_272_000)
}

/// A certificate with its key, which can issue others whether it may or not.
struct TestAuthority {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey

    /// Signs itself.
    init(root recipe: Recipe) throws {
        key = recipe.key
        certificate = try Self.certificate(
            recipe, issuer: DistinguishedName { CommonName(recipe.commonName) }, recipe.key)
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    func issue(_ recipe: Recipe) throws -> TestAuthority {
        TestAuthority(certificate: try Self.certificate(recipe, issuer: certificate.subject, key), key: recipe.key)
    }

    /// The same certificate with a bit of its signature turned.
    func forged() throws -> Certificate {
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
    func bytes() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}
