// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import Foundation
import Identities
import SwiftASN1
import Testing
import X509

@testable import CertificateAuthorities

/// Tests of an authority's revocation lists and OCSP responses, with the readers that clients use.
@Suite struct RevocationTests {
    let root: CertificateAuthority
    let authority: CertificateAuthority
    let server: Identity

    init() throws {
        root = try CertificateAuthority(name: "Root", now: now)
        authority = try root.issueIntermediate(name: "Lower", now: now)
        server = try authority.issue(.server(names: ["a.test"]), now: now)
    }

    private var revoked: RevokedCertificate {
        RevokedCertificate(serialNumber: server.certificate.serialNumber, date: now - 60, reason: .keyCompromise)
    }

    /// Evaluates the server's certificate with required revocation information for every certificate below the anchor.
    private func verdict(lists: [[UInt8]] = [], responses: [[UInt8]] = [], nonce: [UInt8]? = nil) throws -> Verdict {
        let evidence = TrustEvidence(
            revocation: RevocationEvidence(
                lists: try lists.map { try CertificateRevocationList(derEncoded: $0) },
                responses: try responses.map { .init(try OCSPResponse(derEncoded: $0), nonce: nonce) }))
        let chain = try #require(PresentedChain(server.chain))
        let policy = TrustPolicy(anchors: .only([root.root]), revocation: .hardFail)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
            .evaluate(chain, for: try HostName("a.test"), at: now, with: evidence)
    }

    @Test("A revocation list is accepted", arguments: CertificateAuthority.KeyType.allCases)
    func lists(keyType: CertificateAuthority.KeyType) throws {
        guard keyType != .rsa4096 else { return }
        let rootList = try root.revocationList(of: [], number: 1, now: now)
        let good = try authority.revocationList(of: [], number: 1, now: now)
        #expect(try verdict(lists: [rootList, good]).isTrusted)
        let other = RevokedCertificate(serialNumber: .init(bytes: [1, 2, 3]), date: now, reason: .superseded)
        #expect(try verdict(lists: [rootList, authority.revocationList(of: [other], number: 2, now: now)]).isTrusted)
        let bad = try authority.revocationList(of: [other, revoked], number: 3, now: now)
        #expect(try verdict(lists: [rootList, bad]).failure?.explanation.code == "trust.revoked")
        #expect(try !verdict(lists: [good]).isTrusted)
        let signer = try CertificateAuthority(name: "R", keyType: keyType, now: now)
        let list = try CertificateRevocationList(derEncoded: signer.revocationList(of: [revoked], number: 9, now: now))
        #expect(list.issuer == signer.certificate.subject)
        #expect(list.thisUpdate == now)
        #expect(list.nextUpdate == now + 7 * 86_400)
    }

    @Test("A list's times after 2049 have the form of RFC 5280") func laterTimes() throws {
        let later = Date(timeIntervalSince1970: 2_524_607_999)
        let old = try CertificateAuthority(name: "R", validity: .years(50), now: now)
        let list = try CertificateRevocationList(derEncoded: old.revocationList(of: [], number: 1, now: later))
        #expect(list.thisUpdate == later)
        #expect(list.nextUpdate == later + 7 * 86_400)
    }

    @Test(
        "OCSP responses of the authority and of a delegated responder are accepted", arguments: [true, false],
        [true, false])
    func responses(isDelegated: Bool, hasNonce: Bool) async throws {
        let responders = try [root, authority].map {
            isDelegated
                ? try $0.issueResponder(now: now) : try OCSPResponder($0.identity, for: $0.certificate)
        }
        let nonce = hasNonce ? [UInt8](0..<32) : nil
        let requests = [
            try OCSPRequest(for: authority.certificate, issuer: root.certificate, nonce: nonce),
            try OCSPRequest(for: server.certificate, issuer: authority.certificate, nonce: nonce),
        ]
        for (status, code) in [
            (OCSPResponder.Status.good, String?.none), (.revoked(revoked), "trust.revoked"),
            (.unknown, "trust.revocation-unknown"),
        ] {
            var responses: [[UInt8]] = []
            for (index, responder) in responders.enumerated() {
                responses.append(
                    try await responder.respond(to: requests[index].derEncoded, now: now) { serialNumber in
                        #expect(
                            serialNumber == [authority, nil][index]?.certificate.serialNumber
                                ?? server.certificate.serialNumber)
                        return index == 0 ? .good : status
                    })
            }
            let verdict = try verdict(responses: responses, nonce: nonce)
            #expect(verdict.isTrusted == (code == nil))
            if status != .unknown { #expect(verdict.failure?.explanation.code == code) }
        }
    }

    @Test("Malformed requests, and those about another authority, get an error response") func refusals() async throws {
        let responder = try authority.issueResponder(now: now)
        func answer(_ request: [UInt8], at time: Date = now) async throws -> [UInt8] {
            try await responder.respond(to: request, now: time) { _ in .good }
        }
        let request = try OCSPRequest(for: server.certificate, issuer: authority.certificate).derEncoded
        #expect(try await answer(request).count > 100)
        let foreign = try OCSPRequest(for: authority.certificate, issuer: root.certificate).derEncoded
        #expect(try await answer(foreign) == [0x30, 3, 0x0a, 1, 6])
        #expect(try await answer([]) == [0x30, 3, 0x0a, 1, 1])
        #expect(try await answer([UInt8](repeating: 0x30, count: 9_000)) == [0x30, 3, 0x0a, 1, 1])
        // The responder's certificate has expired at this time.
        #expect(try await answer(request, at: now + 8 * 86_400) == [0x30, 3, 0x0a, 1, 3])
        for index in request.indices {
            #expect(try await !answer(Array(request.prefix(index))).isEmpty)
            var damaged = request
            damaged[index] ^= 0x11
            #expect(try await !answer(damaged).isEmpty)
        }
    }

    @Test("Issued certificates contain the authority's publication points") func publication() throws {
        var authority = authority
        authority.publication = PublicationPoints(
            revocationList: URL(string: "http://ca.test/lower.crl"), responder: URL(string: "http://ca.test/ocsp"),
            authorityCertificate: URL(string: "http://ca.test/lower.cer"))
        let certificate = try authority.issue(.server(names: ["a.test"]), now: now).certificate
        let access = try #require(try certificate.extensions.authorityInformationAccess)
        #expect(access.map(\.method) == [.ocspServer, .issuingCA])
        let point = try #require(certificate.extensions[oid: [2, 5, 29, 31]])
        #expect(String(decoding: point.value, as: UTF8.self).hasSuffix("http://ca.test/lower.crl"))
    }
}
