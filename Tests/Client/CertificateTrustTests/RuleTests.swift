// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct UsageTests {
    @Test(
        "Each certificate of a path must permit server authentication",
        arguments: [
            (purposes: [.serverAuth], isTrusted: true), (purposes: nil, isTrusted: true),
            (purposes: [.clientAuth, .serverAuth], isTrusted: true), (purposes: [.any], isTrusted: true),
            (purposes: [.clientAuth], isTrusted: false), (purposes: [.ocspSigning], isTrusted: false),
        ] as [(purposes: [ExtendedKeyUsage.Usage]?, isTrusted: Bool)])
    func purposes(purposes: [ExtendedKeyUsage.Usage]?, isTrusted: Bool) throws {
        let expected = isTrusted ? [] : ["trust.extended-key-usage"]
        #expect(try codes(TestChain(leaf: { $0.purposes = purposes }).verdict()) == expected)
        #expect(try codes(TestChain(intermediate: { $0.purposes = purposes }).verdict()) == expected)
    }

    @Test(
        "The leaf's key usage must permit TLS handshakes",
        arguments: [
            (usage: KeyUsage(digitalSignature: true), isTrusted: true), (usage: nil, isTrusted: true),
            (usage: KeyUsage(keyAgreement: true), isTrusted: true),
            (usage: KeyUsage(keyEncipherment: true), isTrusted: true),
            (usage: KeyUsage(keyCertSign: true), isTrusted: false),
            (usage: KeyUsage(nonRepudiation: true), isTrusted: false),
        ] as [(usage: KeyUsage?, isTrusted: Bool)])
    func leafUsage(usage: KeyUsage?, isTrusted: Bool) throws {
        let verdict = try TestChain(leaf: { $0.keyUsage = usage }).verdict()
        #expect(codes(verdict) == (isTrusted ? [] : ["trust.key-usage"]))
    }

    @Test("An authority's key usage must permit signing certificates") func authorityUsage() throws {
        let usage = KeyUsage(digitalSignature: true, cRLSign: true)
        #expect(try codes(TestChain(intermediate: { $0.keyUsage = usage }).verdict()) == ["trust.key-usage"])
        #expect(try codes(TestChain(root: { $0.keyUsage = usage }).verdict()) == ["trust.key-usage"])
        #expect(try TestChain(root: { $0.keyUsage = nil }).verdict().isTrusted)
    }
}

struct AuthorityTests {
    @Test(
        "Only a certificate authority may issue certificates",
        arguments: [BasicConstraints.notCertificateAuthority, nil])
    func authorities(constraints: BasicConstraints?) throws {
        #expect(
            try codes(TestChain(intermediate: { $0.constraints = constraints }).verdict()) == ["trust.not-an-authority"]
        )
        // An anchor without constraints is one by its key usage.
        for usage in [KeyUsage(keyCertSign: true), nil] {
            let isTrusted = constraints == nil && usage != nil
            let verdict = try TestChain(root: { ($0.constraints, $0.keyUsage) = (constraints, usage) }).verdict()
            #expect(codes(verdict) == (isTrusted ? [] : ["trust.not-an-authority"]))
            #expect(verdict.leniencies.contains { $0.rule == .authorityBasicConstraints } == isTrusted)
        }
    }

    @Test(
        "The path length constraint limits the number of authorities below it",
        arguments: [(limit: nil, isTrusted: true), (1, true), (2, true), (0, false)] as [(limit: Int?, isTrusted: Bool)]
    )
    func pathLength(limit: Int?, isTrusted: Bool) throws {
        let chain = try TestChain(root: { $0.constraints = .isCertificateAuthority(maxPathLength: limit) })
        let verdict = try chain.verdict()
        let failure = TrustFailure.pathTooLong(CertificateSummary(chain.root.certificate), allowed: 0, found: 1)
        #expect(verdict.failures == (isTrusted ? [] : [failure]))
    }

    @Test("A self-issued authority does not count toward the path length") func selfIssued() throws {
        let root = try TestAuthority(
            root: .authority("root").with { $0.constraints = .isCertificateAuthority(maxPathLength: 0) })
        let rolledOver = try root.issue(.authority("root"))
        let leaf = try rolledOver.issue(Recipe())
        #expect(try evaluate([leaf.certificate, rolledOver.certificate], anchors: [root.certificate]).isTrusted)
    }

    @Test("An unknown extension is refused only if it is critical", arguments: [true, false])
    func unknownExtensions(isCritical: Bool) throws {
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: isCritical, value: [5, 0])
        let expected = isCritical ? ["trust.unknown-critical-extension"] : []
        #expect(try codes(TestChain(leaf: { $0.extra = [unknown] }).verdict()) == expected)
        #expect(try codes(TestChain(intermediate: { $0.extra = [unknown] }).verdict()) == expected)
        #expect(try codes(TestChain(root: { $0.extra = [unknown] }).verdict()) == expected)
    }

    @Test(
        "A malformed extension is not recoverable",
        arguments: [
            ASN1ObjectIdentifier.X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
            .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
        ])
    func malformedExtensions(identifier: ASN1ObjectIdentifier) throws {
        let rubbish = Certificate.Extension(oid: identifier, critical: false, value: [0x30, 0x7f, 1])
        let verdict = try TestChain(leaf: {
            switch identifier {
            case .X509ExtensionID.basicConstraints: $0.constraints = nil
            case .X509ExtensionID.keyUsage: $0.keyUsage = nil
            case .X509ExtensionID.extendedKeyUsage: $0.purposes = nil
            default: $0.names = nil
            }
            $0.extra = [rubbish]
        }).verdict()
        #expect(Set(codes(verdict)) == ["trust.malformed-extension"] && !verdict.isRecoverable)
    }
}

struct PinTests {
    @Test("A printed pin is parsed to the same pin") func roundTrip() throws {
        let text = "sha256/" + Data(repeating: 7, count: 32).base64EncodedString()
        #expect(try Pin(text).description == text)
        #expect(try JSONDecoder().decode(Pin.self, from: JSONEncoder().encode(Pin(text))) == Pin(text))
    }

    @Test("A pin is the hash of the SubjectPublicKeyInfo") func hash() throws {
        let leaf = try TestAuthority(root: Recipe())
        let digest = Data(SHA256.hash(data: leaf.key.publicKey.derRepresentation)).base64EncodedString()
        #expect(Pin(of: leaf.certificate).description == "sha256/" + digest)
    }

    @Test("A malformed pin is refused", arguments: ["", "sha256", "sha256/", "sha256/AAAA", "sha256/!!!!", "/"])
    func malformed(text: String) {
        #expect(throws: (any Error).self) { try Pin(text) }
    }

    @Test("An unsupported hash is refused by its name") func otherHashes() {
        #expect(throws: PinError.unsupportedHash("sha1")) { try Pin("sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=") }
    }

    @Test("One pinned key at any position in the path is sufficient") func anywhere() throws {
        let (chain, stranger) = (try TestChain(), try TestChain())
        let other = Pin(of: stranger.root.certificate)
        for certificate in chain.presented + [chain.root.certificate] {
            let pins: PinSet = [Pin(of: certificate), other]
            #expect(try evaluate(chain.presented, anchors: [chain.root.certificate], pins: pins).isTrusted)
        }
        // A pin for a presented certificate outside the path does not count.
        let presented = chain.presented + [stranger.root.certificate]
        let verdict = try evaluate(presented, anchors: [chain.root.certificate], pins: [other])
        #expect(codes(verdict) == ["trust.pin-mismatch"] && !verdict.isRecoverable)
    }

    @Test("A pin does not replace validation") func validation() throws {
        let chain = try TestChain()
        let pins: PinSet = [Pin(of: chain.leaf.certificate)]
        #expect(try !evaluate(chain.presented, anchors: [], pins: pins).isTrusted)
    }

    @Test("Pins are enforced even if validation is disabled") func disabledValidation() throws {
        let (chain, stranger) = (try TestChain(), try TestChain())
        func verdict(_ pinned: Certificate?) throws -> Verdict {
            let pins = PinSet(Set(pinned.map { [Pin(of: $0)] } ?? []))
            return try evaluate(
                chain.presented, anchors: [], pins: pins, validation: .dangerouslyDisabled, for: "other.test")
        }
        #expect(try verdict(nil).isTrusted && verdict(nil).path == nil)
        #expect(try verdict(chain.leaf.certificate).isTrusted)
        #expect(try codes(verdict(stranger.leaf.certificate)) == ["trust.pin-mismatch"])
        // Without validation, it is not verified that the intermediate issued the leaf, so its pin does not count.
        #expect(try codes(verdict(chain.intermediate.certificate)) == ["trust.pin-mismatch"])
    }
}
