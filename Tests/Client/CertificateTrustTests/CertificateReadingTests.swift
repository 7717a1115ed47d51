// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Compares the project's certificate parser with swift-certificates, a second implementation.
struct CertificateReadingTests {
    static let rounds = 1_000

    private static func seeds() throws -> [[UInt8]] {
        let names: [GeneralName] = [
            .dnsName("*.a.test"), .ipAddress(ASN1OctetString(contentBytes: [10, 0, 0, 1])), .rfc822Name("a@a.test"),
            .uniformResourceIdentifier("https://a.test/"), .directoryName(try DistinguishedName { CommonName("a") }),
            .registeredID([1, 2, 3]),
        ]
        let responder = AuthorityInformationAccess.AccessDescription(
            method: .ocspServer, location: .uniformResourceIdentifier("http://a.test/"))
        let extra: [Certificate.Extension] = [
            try .init(AuthorityInformationAccess([responder]), critical: false),
            try .init(SubjectKeyIdentifier(keyIdentifier: [1, 2, 3]), critical: false),
            try .init(AuthorityKeyIdentifier(keyIdentifier: [4, 5, 6]), critical: false),
            .init(oid: TLSFeatures.identifier, critical: false, value: [0x30, 3, 2, 1, 5]),
        ]
        let policies: ArraySlice<UInt8> = [0x30, 8, 0x30, 6, 6, 4, 0x55, 0x1d, 0x20, 0]
        let chain = try TestChain(
            intermediate: {
                $0.constraints = .isCertificateAuthority(maxPathLength: 3)
                $0.keyUsage = KeyUsage(keyCertSign: true, cRLSign: true, decipherOnly: true)
                $0.nameConstraints = NameConstraints(permittedDNSDomains: ["test"])
                $0.extra = [.init(oid: .certificatePolicies, critical: true, value: policies)]
            },
            leaf: {
                ($0.names, $0.extra) = (names, extra)
                $0.purposes = [.serverAuth, .clientAuth, .ocspSigning, .codeSigning, .any]
            })
        return [chain.leaf, chain.intermediate, chain.root].map(\.certificate.derBytes)
    }

    /// Replaces one to three bytes, so that most lengths stay valid.
    private static func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] =
                Bool.random(using: &generator)
                ? UInt8.random(in: 0...255, using: &generator)
                : bytes[index] ^ 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        return bytes
    }

    @Test("A certificate is read exactly as by swift-certificates, or refused", arguments: 0..<3)
    func sameReading(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        let original = try Self.seeds()[seed]
        try compare(original)
        for _ in 0..<Self.rounds { try compare(Self.mutated(original, &generator)) }
    }

    private func compare(_ bytes: [UInt8]) throws {
        let text = Comment(rawValue: Data(bytes).base64EncodedString())
        switch (try? Certificate(derEncoded: bytes), try? ParsedCertificate(derEncoded: bytes)) {
        case (nil, nil): break
        case (let typed?, nil): #expect(Self.mayBeRefused(typed), text)
        case (nil, let own?): #expect(Self.mayBeRead(own), text)
        case (let typed?, let own?): try compare(own, typed, text)
        }
    }

    /// Returns whether only swift-certificates can use the key: it is not a whole number of bytes.
    private static func mayBeRefused(_ typed: Certificate) -> Bool {
        let info = CertificateFields(tbsCertificate: typed.tbsCertificateBytes)?.publicKeyInfo ?? []
        var outer = DERReader(info)
        guard var fields = outer.enter(DERTag.sequence), fields.next() != nil, let bits = fields.next() else {
            return false
        }
        return bits.content.first != 0
    }

    /// Returns whether the certificate has something that swift-certificates rejects: another algorithm or key, a
    /// unique identifier or a malformed signature.
    private static func mayBeRead(_ own: ParsedCertificate) -> Bool {
        guard let algorithm = own.algorithm.typed, own.key?.typed != nil else { return true }
        let bits = ASN1BitString(bytes: own.encoded.signature)
        guard (try? Certificate.Signature(signatureAlgorithm: algorithm, signatureBytes: bits)) != nil else {
            return true
        }
        return own.encoded.signedBytes.contains(0x81) || own.encoded.signedBytes.contains(0x82)
    }

    private func compare(_ own: ParsedCertificate, _ typed: Certificate, _ text: Comment) throws {
        #expect(own.subjectName == typed.subject && own.issuerName == typed.issuer, text)
        #expect(own.notBefore == typed.notValidBefore && own.notAfter == typed.notValidAfter, text)
        #expect(own.key?.typed == typed.publicKey || Self.mayBeRefused(typed), text)
        #expect(own.algorithm.typed == typed.signatureAlgorithm, text)
        #expect(own.encoded.signedBytes == typed.tbsCertificateBytes, text)
        #expect(own.encoded.fields.serialNumber.drop { $0 == 0 } == typed.serialNumber.bytes.drop { $0 == 0 }, text)
        let extensions = typed.extensions
        // The deviations that this parser reads and swift-certificates does not.
        guard own.deviations.isEmpty, own.alternativeNames.value?.allSatisfy(\.isASCII) ?? true else { return }
        // swift-certificates accepts a negative path length, which no path can satisfy.
        let constraints = try? extensions.basicConstraints
        let isNegative = if case .isCertificateAuthority(let limit?) = constraints { limit < 0 } else { false }
        #expect(own.basicConstraints.value == (isNegative ? nil : constraints), text)
        #expect(own.keyUsage.value == (try? extensions.keyUsage), text)
        // A purpose may be repeated here.
        let purposes = try? extensions.extendedKeyUsage
        #expect(own.extendedKeyUsage.value == purposes || purposes == nil && own.extendedKeyUsage.isPresent, text)
        #expect(own.alternativeNames.value == (try? extensions.subjectAlternativeNames).map { Array($0) }, text)
        #expect(own.subjectKey.value == (try? extensions.subjectKeyIdentifier)?.keyIdentifier, text)
        #expect(own.authorityKey.value == (try? extensions.authorityKeyIdentifier), text)
        let information = own.encoded.found(ExtensionNumber.authorityInformation)
        #expect(
            (information?.isAuthorityInformation ?? false)
                == ((try? extensions.authorityInformationAccess)?.isEmpty == false), text)
        #expect(own.encoded.extensions.map(\.isCritical) == extensions.map(\.critical), text)
        #expect(own.encoded.extensions.map(\.name) == extensions.map { "\($0.oid)" }, text)
    }
}
