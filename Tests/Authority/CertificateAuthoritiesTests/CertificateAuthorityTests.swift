// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Identities
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509
import EssentialFoundation

let now = Date(timeIntervalSince1970: 1_790_000_000)

@Suite struct AuthorityChains {
    @Test(
        "A leaf verifies to its root, for its own names only", arguments: [CertificateAuthority.KeyType.p256, .rsa2048])
    func names(keyType: CertificateAuthority.KeyType) async throws {
        let root = try CertificateAuthority(name: "Test Root", keyType: keyType, now: now)
        let intermediate = try root.issueIntermediate(name: "Test Intermediate", now: now)
        let server = try intermediate.issue(
            .server(names: ["a.test", "*.b.test", "192.0.2.1", "2001:db8::1"], keyType: keyType), now: now
        )
        #expect(server.chain.count == 2)
        #expect(intermediate.identity.chain == [intermediate.certificate, root.certificate])
        #expect(intermediate.root == root.root)
        for name in ["a.test", "x.b.test"] {
            #expect(await verifies(server, to: root, host: name))
        }
        #expect(await verifies(server, to: root, address: "192.0.2.1"))
        #expect(await verifies(server, to: root, address: "2001:db8::1"))
        for name in ["b.test", "c.test", "x.y.b.test"] {
            #expect(await !verifies(server, to: root, host: name))
        }
        #expect(await !verifies(server, to: root, address: "192.0.2.2"))
    }

    @Test("A leaf does not verify to another root of the same name") func otherRoot() async throws {
        let root = try CertificateAuthority(name: "Same", now: now)
        let other = try CertificateAuthority(name: "Same", now: now)
        let server = try root.issue(.server(names: ["a.test"]), now: now)
        #expect(server.chain.count == 1)
        #expect(await verifies(server, to: root, host: "a.test"))
        #expect(await !verifies(server, to: other, host: "a.test"))
    }

    @Test("A self-signed identity is not an authority, and verifies to no other root") func selfSigned() async throws {
        let root = try CertificateAuthority(name: "Root", now: now)
        let alone = try CertificateAuthority.selfSigned(.server(names: ["localhost", "127.0.0.1"]), now: now)
        #expect(alone.certificate.issuer == alone.certificate.subject)
        #expect(alone.certificate.publicKey.isValidSignature(alone.certificate.signature, for: alone.certificate))
        #expect(try alone.certificate.extensions.basicConstraints == .notCertificateAuthority)
        #expect(await !verifies(alone, to: root, host: "localhost"))
    }

    @Test("An intermediate cannot issue authorities") func intermediate() throws {
        let root = try CertificateAuthority(name: "Root", now: now)
        let intermediate = try root.issueIntermediate(name: "Intermediate", now: now)
        #expect(try intermediate.certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
        #expect(throws: CertificateAuthorityError.pathLengthExceeded) {
            try intermediate.issueIntermediate(name: "Lower", now: now)
        }
    }

    @Test("Issued certificates also verify with the authority's renewed certificate") func renewal() throws {
        let root = try CertificateAuthority(name: "Root", now: now)
        let old = try root.issueIntermediate(
            name: "Lower", validity: .years(1), permitting: PermittedNames(["a.test"]), now: now)
        let server = try old.issue(.server(names: ["a.test"], validity: .days(300)), now: now)
        let later = now + 250 * 86_400
        let chain = try root.renew(old.certificate, validity: .years(2), now: later)
        #expect(chain.dropFirst() == [root.certificate])
        let new = try CertificateAuthority(Identity(chain: chain, privateKey: old.identity.privateKey))
        #expect(new.certificate.serialNumber != old.certificate.serialNumber)
        #expect(new.certificate.subject == old.certificate.subject)
        #expect(new.certificate.notValidAfter == later + 730 * 86_400)
        let same: Set<ASN1ObjectIdentifier> = [
            .X509ExtensionID.basicConstraints, .X509ExtensionID.nameConstraints, .X509ExtensionID.keyUsage,
            .X509ExtensionID.subjectKeyIdentifier, .X509ExtensionID.authorityKeyIdentifier,
        ]
        #expect(Set(new.certificate.extensions.map(\.oid)) == same)
        for oid in same { #expect(new.certificate.extensions[oid: oid] == old.certificate.extensions[oid: oid]) }
        let presented = try #require(PresentedChain([server.certificate, new.certificate]))
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([root.root])), systemAnchors: AnchorStore([]))
        #expect(evaluator.evaluate(presented, for: try HostName("a.test"), at: later).isTrusted)
        #expect(throws: CertificateAuthorityError.notPermitted("b.test")) {
            try new.issue(.server(names: ["b.test"]), now: later)
        }
    }

    @Test("An authority renews only authorities that it issued") func wrongRenewal() throws {
        let root = try CertificateAuthority(name: "Root", now: now)
        let lower = try root.issueIntermediate(name: "Lower", now: now).certificate
        let other = try CertificateAuthority(name: "Root", now: now)
        #expect(throws: CertificateAuthorityError.otherIssuer(subject: lower.subject)) {
            try other.renew(lower, now: now)
        }
        let leaf = try root.issue(.server(names: ["a.test"]), now: now).certificate
        #expect(throws: CertificateAuthorityError.notAnAuthority(subject: leaf.subject)) {
            try root.renew(leaf, now: now)
        }
    }
}

@Suite struct Validities {
    @Test("A relative validity begins five minutes earlier and ends no later than its issuer's")
    func relative() throws {
        let root = try CertificateAuthority(name: "Root", validity: .days(10), now: now)
        let leaf = try root.issue(.server(names: ["a.test"], validity: .days(5)), now: now).certificate
        #expect(leaf.notValidBefore == now - 300)
        #expect(leaf.notValidAfter == now + 5 * 86_400)
        let long = try root.issue(.server(names: ["a.test"], validity: .days(50)), now: now).certificate
        #expect(long.notValidAfter == root.certificate.notValidAfter)
    }

    @Test("A fixed validity can be in the past or in the future", arguments: [(-20.0, -10.0), (10.0, 20.0)])
    func fixed(from: Double, to: Double) async throws {
        let root = try CertificateAuthority(name: "Root", now: now - 30 * 86_400)
        let validity = Validity.between(now + from * 86_400, and: now + to * 86_400)
        let server = try root.issue(.server(names: ["a.test"], validity: validity), now: now)
        #expect(await !verifies(server, to: root, host: "a.test"))
        #expect(await verifies(server, to: root, host: "a.test", at: now + (from + to) / 2 * 86_400))
    }

    @Test("A validity that ends before it begins is refused") func empty() throws {
        let root = try CertificateAuthority(name: "Root", validity: .between(now - 20, and: now - 10), now: now)
        #expect(throws: CertificateAuthorityError.emptyValidity(notBefore: now, notAfter: now - 1)) {
            try root.issue(.client(name: "x", validity: .between(now, and: now - 1)), now: now)
        }
        let expired = try CertificateAuthority(
            name: "Root", validity: .between(now - 2000, and: now - 1000), now: now
        )
        #expect(throws: CertificateAuthorityError.self) { try expired.issue(.client(name: "x"), now: now) }
    }
}

/// Returns whether swift-certificates' verifier, with its default RFC 5280 policy, accepts a server.
func verifies(
    _ server: Identity, to root: CertificateAuthority, host: String? = nil, address: String? = nil, at time: Date = now
) async -> Bool {
    var verifier = Verifier(rootCertificates: CertificateStore([root.root])) {
        RFC5280Policy(fixedExpiryValidationTime: time)
        ServerIdentityPolicy(serverHostname: host, serverIP: address)
    }
    let result = await verifier.validate(
        leaf: server.certificate, intermediates: CertificateStore(server.chain.dropFirst())
    )
    if case .validCertificate = result { return true }
    return false
}
