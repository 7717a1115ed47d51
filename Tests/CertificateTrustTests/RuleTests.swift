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
        arguments: [
            (purposes: [.serverAuth], isTrusted: true), (purposes: nil, isTrusted: true),
            (purposes: [.clientAuth, .serverAuth], isTrusted: true), (purposes: [.any], isTrusted: true),
            (purposes: [.clientAuth], isTrusted: false), (purposes: [.ocspSigning], isTrusted: false),
        ] as [(purposes: [ExtendedKeyUsage.Usage]?, isTrusted: Bool)])
    func everyCertificateMustBeForServers(purposes: [ExtendedKeyUsage.Usage]?, isTrusted: Bool) throws {
        let expected = isTrusted ? [] : ["extended-key-usage"]
        #expect(try codes(TestChain(leaf: { $0.purposes = purposes }).verdict()) == expected)
        #expect(try codes(TestChain(intermediate: { $0.purposes = purposes }).verdict()) == expected)
    }

    @Test(
        arguments: [
            (usage: KeyUsage(digitalSignature: true), isTrusted: true), (usage: nil, isTrusted: true),
            (usage: KeyUsage(keyAgreement: true), isTrusted: true),
            (usage: KeyUsage(keyEncipherment: true), isTrusted: true),
            (usage: KeyUsage(keyCertSign: true), isTrusted: false),
            (usage: KeyUsage(nonRepudiation: true), isTrusted: false),
        ] as [(usage: KeyUsage?, isTrusted: Bool)])
    func theLeafsKeyMustBeForHandshakes(usage: KeyUsage?, isTrusted: Bool) throws {
        let verdict = try TestChain(leaf: { $0.keyUsage = usage }).verdict()
        #expect(codes(verdict) == (isTrusted ? [] : ["key-usage"]))
    }

    @Test func anAuthoritysKeyMustBeForCertificates() throws {
        let usage = KeyUsage(digitalSignature: true, cRLSign: true)
        #expect(try codes(TestChain(intermediate: { $0.keyUsage = usage }).verdict()) == ["key-usage"])
        #expect(try codes(TestChain(root: { $0.keyUsage = usage }).verdict()) == ["key-usage"])
        #expect(try TestChain(root: { $0.keyUsage = nil }).verdict().isTrusted)
    }
}

struct AuthorityTests {
    @Test(arguments: [BasicConstraints.notCertificateAuthority, nil])
    func onlyAuthoritiesIssue(constraints: BasicConstraints?) throws {
        #expect(try codes(TestChain(intermediate: { $0.constraints = constraints }).verdict()) == ["not-an-authority"])
        #expect(try codes(TestChain(root: { $0.constraints = constraints }).verdict()) == ["not-an-authority"])
    }

    @Test(
        arguments: [(limit: nil, isTrusted: true), (1, true), (2, true), (0, false)] as [(limit: Int?, isTrusted: Bool)]
    )
    func theRootLimitsHowManyAuthoritiesStandBelow(limit: Int?, isTrusted: Bool) throws {
        let chain = try TestChain(root: { $0.constraints = .isCertificateAuthority(maxPathLength: limit) })
        let verdict = try chain.verdict()
        let failure = TrustFailure.pathTooLong(CertificateSummary(chain.root.certificate), allowed: 0, found: 1)
        #expect(verdict.failures == (isTrusted ? [] : [failure]))
    }

    @Test func aSelfIssuedAuthorityDoesNotCount() throws {
        let root = try TestAuthority(
            root: .authority("root").with { $0.constraints = .isCertificateAuthority(maxPathLength: 0) })
        let rolledOver = try root.issue(.authority("root"))
        let leaf = try rolledOver.issue(Recipe())
        #expect(try evaluate([leaf.certificate, rolledOver.certificate], anchors: [root.certificate]).isTrusted)
    }

    @Test(arguments: [true, false])
    func anUnknownExtensionStopsOnlyWhereCritical(isCritical: Bool) throws {
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: isCritical, value: [5, 0])
        let expected = isCritical ? ["unknown-critical-extension"] : []
        #expect(try codes(TestChain(leaf: { $0.extra = [unknown] }).verdict()) == expected)
        #expect(try codes(TestChain(intermediate: { $0.extra = [unknown] }).verdict()) == expected)
        #expect(try codes(TestChain(root: { $0.extra = [unknown] }).verdict()) == expected)
    }

    @Test(arguments: [
        ASN1ObjectIdentifier.X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
        .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
    ])
    func anExtensionThatCannotBeReadIsFatal(identifier: ASN1ObjectIdentifier) throws {
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
        #expect(Set(codes(verdict)) == ["malformed-extension"] && !verdict.isRecoverable)
    }
}

struct PinTests {
    @Test func aPinIsReadAndWritten() throws {
        let text = "sha256/" + Data(repeating: 7, count: 32).base64EncodedString()
        #expect(try Pin(text).description == text)
        #expect(try JSONDecoder().decode(Pin.self, from: JSONEncoder().encode(Pin(text))) == Pin(text))
    }

    @Test func aPinIsTheHashOfTheWholeSubjectPublicKeyInfo() throws {
        let leaf = try TestAuthority(root: Recipe())
        let digest = Data(SHA256.hash(data: leaf.key.publicKey.derRepresentation)).base64EncodedString()
        #expect(Pin(of: leaf.certificate).description == "sha256/" + digest)
    }

    @Test(arguments: ["", "sha256", "sha256/", "sha256/AAAA", "sha256/!!!!", "/"])
    func otherTextsAreMalformed(text: String) {
        #expect(throws: (any Error).self) { try Pin(text) }
    }

    @Test func otherHashesAreRefusedByName() {
        #expect(throws: PinError.unsupportedHash("sha1")) { try Pin("sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=") }
    }

    @Test func onePinnedKeyAnywhereInThePathIsEnough() throws {
        let (chain, stranger) = (try TestChain(), try TestChain())
        let other = Pin(of: stranger.root.certificate)
        for certificate in chain.presented + [chain.root.certificate] {
            let pins: PinSet = [Pin(of: certificate), other]
            #expect(try evaluate(chain.presented, anchors: [chain.root.certificate], pins: pins).isTrusted)
        }
        // A certificate that was sent but is not in the path proves nothing.
        let presented = chain.presented + [stranger.root.certificate]
        let verdict = try evaluate(presented, anchors: [chain.root.certificate], pins: [other])
        #expect(codes(verdict) == ["pin-mismatch"] && !verdict.isRecoverable)
    }

    @Test func pinsNeverReplaceValidation() throws {
        let chain = try TestChain()
        let pins: PinSet = [Pin(of: chain.leaf.certificate)]
        #expect(try !evaluate(chain.presented, anchors: [], pins: pins).isTrusted)
    }

    @Test func pinsBindEvenWhereValidationIsDisabled() throws {
        let (chain, stranger) = (try TestChain(), try TestChain())
        func verdict(_ pinned: Certificate?) throws -> Verdict {
            let pins = PinSet(Set(pinned.map { [Pin(of: $0)] } ?? []))
            return try evaluate(
                chain.presented, anchors: [], pins: pins, validation: .dangerouslyDisabled, for: "other.test")
        }
        #expect(try verdict(nil).isTrusted && verdict(nil).path == nil)
        #expect(try verdict(chain.leaf.certificate).isTrusted)
        #expect(try codes(verdict(stranger.leaf.certificate)) == ["pin-mismatch"])
        // Nobody checked that the intermediate issued the leaf, so its key cannot vouch.
        #expect(try codes(verdict(chain.intermediate.certificate)) == ["pin-mismatch"])
    }
}
