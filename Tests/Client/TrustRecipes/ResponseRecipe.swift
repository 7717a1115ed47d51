// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
package import Foundation
import SwiftASN1
package import X509

/// The contents of a test OCSP response; the defaults make a good one, signed by the issuer.
package struct ResponseRecipe {
    package static let good: [UInt8] = [0x80, 0]
    package static let unknown: [UInt8] = [0x82, 0]
    package static let basicResponse: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]

    package static func revoked(at time: Date = Instant.now - 3600, reason: UInt8? = nil) -> [UInt8] {
        Encoding.tagged(
            1, Encoding.generalizedTime(time), reason.map { Encoding.tagged(0, [0x0a, 1, $0]) } ?? [])
    }

    /// The hash of certificate identifiers, as the content of its object identifier.
    package enum Hash {
        case sha1
        case sha256

        fileprivate var identifier: [UInt8] {
            switch self {
            case .sha1: [0x2b, 0x0e, 0x03, 0x02, 0x1a]
            case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
            }
        }

        package func digest(_ bytes: some DataProtocol) -> [UInt8] {
            switch self {
            case .sha1: Array(Insecure.SHA1.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            }
        }
    }

    /// The form of the responder ID.
    package enum Responder {
        case name
        case key
        case raw([UInt8])
    }

    package var hash = Hash.sha1
    package var status = Self.good
    package var serialNumber: [UInt8]?
    package var issuerName: DistinguishedName?
    package var issuerKey: P256.Signing.PublicKey?
    package var thisUpdate = Encoding.generalizedTime(Instant.now - 7200)
    package var nextUpdate: [UInt8]? = Encoding.generalizedTime(Instant.now + 86400)
    package var producedAt = Encoding.generalizedTime(Instant.now - 7200)
    package var answerExtensions: [[UInt8]] = []
    package var extensions: [[UInt8]] = []
    /// Further SingleResponses, which precede the one for the certificate.
    package var otherSingleResponses: [[UInt8]] = []
    package var responder = Responder.name
    package var algorithm = ListRecipe.ecdsaWithSHA256
    package var certificates: [Certificate] = []
    package var type = Self.basicResponse
    package var key: P256.Signing.PrivateKey?

    package init() {}

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Encodes an extension with a nonce.
    package static func nonce(_ nonce: [UInt8], critical: Bool = false) -> [UInt8] {
        Encoding.certificateExtension(
            Array(basicResponse.dropLast()) + [2], critical: critical, Encoding.octets(nonce))
    }

    /// Encodes an error response.
    package static func refusal(_ code: UInt8) -> [UInt8] { Encoding.sequence([0x0a, 1, code]) }

    /// Encodes the SingleResponse for a certificate.
    package func answer(for certificate: Certificate, issuer: TestAuthority) throws -> [UInt8] {
        let key = (issuerKey ?? issuer.key.publicKey).x963Representation
        let identifier = Encoding.sequence(
            Encoding.sequence(Encoding.identifier(hash.identifier), [5, 0]),
            Encoding.octets(hash.digest(try (issuerName ?? certificate.issuer).bytes())),
            Encoding.octets(hash.digest(key)),
            Encoding.integer(serialNumber ?? Array(certificate.serialNumber.bytes)))
        let extensions = answerExtensions.flatMap(\.self)
        return Encoding.sequence(
            identifier, status, thisUpdate, nextUpdate.map { Encoding.tagged(0, $0) } ?? [],
            extensions.isEmpty ? [] : Encoding.tagged(1, Encoding.sequence(extensions)))
    }

    /// Encodes a response for a certificate, signed by the issuer unless another signer is given.
    package func encoded(
        for certificate: Certificate, issuer: TestAuthority, by signer: TestAuthority? = nil
    ) throws -> [UInt8] {
        let signer = signer ?? issuer
        let extensions = extensions.flatMap(\.self)
        let signed = Encoding.sequence(
            try name(of: signer), producedAt,
            Encoding.sequence(try otherSingleResponses.flatMap(\.self) + answer(for: certificate, issuer: issuer)),
            extensions.isEmpty ? [] : Encoding.tagged(1, Encoding.sequence(extensions)))
        let signature = try (key ?? signer.key).signature(for: signed).derRepresentation
        let certificates = try certificates.flatMap { try $0.bytes() }
        let basic = Encoding.sequence(
            signed, algorithm, Encoding.bits(Array(signature)),
            certificates.isEmpty ? [] : Encoding.tagged(0, Encoding.sequence(certificates)))
        return Self.complete(basic, type: type)
    }

    /// Encodes a response that contains a BasicOCSPResponse.
    package static func complete(_ basic: [UInt8], type: [UInt8] = basicResponse) -> [UInt8] {
        Encoding.sequence(
            [0x0a, 1, 0],
            Encoding.tagged(0, Encoding.sequence(Encoding.identifier(type), Encoding.octets(basic))))
    }

    private func name(of signer: TestAuthority) throws -> [UInt8] {
        switch responder {
        case .name: Encoding.tagged(1, try signer.certificate.subject.bytes())
        case .key:
            Encoding.tagged(2, Encoding.octets(Hash.sha1.digest(signer.key.publicKey.x963Representation)))
        case .raw(let bytes): bytes
        }
    }
}
