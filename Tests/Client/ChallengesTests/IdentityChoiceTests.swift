// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Crypto
import CryptoExtras
import Foundation
import Identities
import TLSRecipes
import Testing
import X509

@Suite struct IdentityChoices {
    /// The properties of an identity on which the choice depends.
    struct Traits: Sendable {
        var issuer = "a"
        var key = KeyType.p256
        var usage: KeyUsage?
        var extendedUsages: [ExtendedKeyUsage.Usage]?
        var validity = 0.0...100
        var host: String?
    }

    /// The type of a key; the last two are outside of memory.
    enum KeyType: CaseIterable {
        case p256, p384, p521, ed25519, rsa, heldP256, heldRSA

        func key() throws -> Certificate.PrivateKey {
            switch self {
            case .p256: .init(P256.Signing.PrivateKey())
            case .p384: .init(P384.Signing.PrivateKey())
            case .p521: .init(P521.Signing.PrivateKey())
            case .ed25519: .init(Curve25519.Signing.PrivateKey())
            case .rsa: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .heldP256: .init(HeldKey(key: try Self.p256.key()))
            case .heldRSA: .init(HeldKey(key: try Self.rsa.key()))
            }
        }
    }

    /// Each case has the names of the server's algorithms, and the keys that can sign with one of them before TLS 1.3
    /// and in it.
    @Test(
        "A key meets a request if it can sign with one of the algorithms",
        arguments: [
            (0x0403, [.p256, .p384, .p521, .heldP256], [.p256, .heldP256]), (0x0503, [.p256, .p384, .p521], [.p384]),
            (0x0603, [.p256, .p384, .p521], [.p521]), (0x0203, [.p256, .p384, .p521], []),
            (0x0807, [.ed25519], [.ed25519]), (0x0804, [.rsa], [.rsa]), (0x0806, [.rsa], [.rsa]),
            (0x0401, [.rsa, .heldRSA], []), (0x0201, [.rsa], []), (0x0809, [], []), (0x0808, [], []),
        ] as [(UInt16, [KeyType], [KeyType])])
    func algorithms(number: UInt16, before: [KeyType], since: [KeyType]) throws {
        let identities = try KeyType.allCases.map { ($0, try Self.identity(Traits(key: $0))) }
        var request = ClientCertificateRequest(
            acceptableIssuers: nil, signatureSchemes: [TLSSignatureScheme(rawValue: number)])
        #expect(identities.filter { request.isMet(by: $0.1) }.map(\.0) == since)
        request.isTLS13 = false
        #expect(identities.filter { request.isMet(by: $0.1) }.map(\.0) == before)
        for schemes in [[], nil] as [[TLSSignatureScheme]?] {
            let open = ClientCertificateRequest(acceptableIssuers: nil, signatureSchemes: schemes)
            #expect(identities.allSatisfy { open.isMet(by: $0.1) })
        }
    }

    @Test(
        "An identity needs an acceptable issuer and an algorithm, whichever the order",
        arguments: [
            ([("a", .p256), ("a", .p521), ("b", .p256), ("b", .p521)], 3),
            ([("b", .p521), ("a", .p256), ("b", .p256)], 0), ([("b", .p256), ("a", .p521)], nil),
        ] as [([(String, KeyType)], Int?)])
    func issuersAndAlgorithms(candidates: [(String, KeyType)], chosen: Int?) async throws {
        let identities = try candidates.map { try Self.identity(Traits(issuer: $0.0, key: $0.1)) }
        let request = ClientCertificateRequest(
            acceptableIssuers: [try DistinguishedName { CommonName("b") }],
            signatureSchemes: [.ecdsaP384SHA384, .ecdsaP521SHA512])
        let host = try HostName("a.test")
        let choice = IdentityChoice(identities.map { .init($0) })
        #expect(
            choice.identity(for: request, from: host, at: Date(timeIntervalSince1970: 50))
                == chosen.map { identities[$0] })
        let space = ProtectionSpace(host: host, port: 443, scheme: "https", realm: nil, method: .clientCertificate)
        let challenge = Challenge(space: space, statement: .clientCertificateRequest(request))
        let disposition = try await IdentityHandler(identities, host: "a.test").answer(challenge)
        if case .use(let credential) = disposition {
            #expect(credential == chosen.map { .identity(identities[$0]) })
        } else {
            #expect(chosen == nil)
        }
        // A single identity is presented regardless of the request.
        guard case .use = try await IdentityHandler([identities[1]], host: "a.test").answer(challenge) else {
            Issue.record("A single identity was not presented.")
            return
        }
    }

    @Test(
        "The first identity that is valid, for clients, for the host and from an acceptable issuer is chosen",
        arguments: [
            ([Traits()], nil, 0), ([Traits()], [], 0), ([Traits()], ["a"], 0), ([Traits()], ["b"], nil),
            ([Traits(), Traits(issuer: "b")], ["b"], 1), ([Traits(), Traits(issuer: "b")], ["b", "a"], 0),
            ([Traits(issuer: "b", host: "a.test"), Traits()], ["a"], 1),
            ([Traits(), Traits(host: "A.test")], [], 1), ([Traits(host: "b.test"), Traits()], nil, 1),
            ([Traits(host: "b.test")], nil, nil), ([], nil, nil),
            ([Traits(usage: KeyUsage(digitalSignature: true)), Traits()], nil, 0),
            ([Traits(usage: KeyUsage(keyAgreement: true)), Traits()], nil, 1),
            ([Traits(extendedUsages: [.serverAuth, .clientAuth]), Traits()], nil, 0),
            ([Traits(extendedUsages: [.any])], nil, 0), ([Traits(extendedUsages: [.serverAuth]), Traits()], nil, 1),
            ([Traits(validity: 0...49), Traits(validity: 50...50)], nil, 1), ([Traits(validity: 51...60)], nil, nil),
        ] as [([Traits], [String]?, Int?)])
    func choice(candidates: [Traits], issuers: [String]?, chosen: Int?) async throws {
        let identityCandidates = try candidates.map { IdentityChoice.Candidate(try Self.identity($0), host: $0.host) }
        let names = try issuers?.map { name in try DistinguishedName { CommonName(name) } }
        let request = ClientCertificateRequest(acceptableIssuers: names)
        let (host, time) = (try HostName("a.test"), Date(timeIntervalSince1970: 50.5))
        let expected = chosen.map { identityCandidates[$0].identity }
        #expect(IdentityChoice(identityCandidates).identity(for: request, from: host, at: time) == expected)

        let space = ProtectionSpace(host: host, port: 443, scheme: "https", realm: nil, method: .clientCertificate)
        let challenge = Challenge(space: space, statement: .clientCertificateRequest(request))
        let disposition = try await IdentityChoiceHandler(identityCandidates, now: { time }).answer(challenge)
        if case .use(let credential) = disposition {
            #expect(credential == expected.map { .identity($0) })
        } else {
            #expect(expected == nil)
        }
    }

    private static func identity(_ traits: Traits) throws -> Identity {
        let (key, authority) = (try traits.key.key(), P256.Signing.PrivateKey())
        let extensions = try Certificate.Extensions {
            if let usage = traits.usage { Critical(usage) }
            if let usages = traits.extendedUsages { try ExtendedKeyUsage(usages) }
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: traits.validity.lowerBound),
            notValidAfter: Date(timeIntervalSince1970: traits.validity.upperBound),
            issuer: DistinguishedName { CommonName(traits.issuer) }, subject: DistinguishedName { CommonName("leaf") },
            extensions: extensions, issuerPrivateKey: .init(authority))
        return try Identity(chain: [certificate], privateKey: key)
    }
}
