// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Crypto
import Foundation
import Identities
import Testing
import X509

@Suite struct IdentityChoices {
    /// The properties of an identity on which the choice depends.
    struct Traits: Sendable {
        var issuer = "a"
        var usage: KeyUsage?
        var extendedUsages: [ExtendedKeyUsage.Usage]?
        var validity = 0.0...100
        var host: String?
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
        let (key, authority) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let extensions = try Certificate.Extensions {
            if let usage = traits.usage { Critical(usage) }
            if let usages = traits.extendedUsages { try ExtendedKeyUsage(usages) }
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date(timeIntervalSince1970: traits.validity.lowerBound),
            notValidAfter: Date(timeIntervalSince1970: traits.validity.upperBound),
            issuer: DistinguishedName { CommonName(traits.issuer) }, subject: DistinguishedName { CommonName("leaf") },
            extensions: extensions, issuerPrivateKey: .init(authority))
        return try Identity(chain: [certificate], privateKey: .init(key))
    }
}
