// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import CertificateTrust

struct OpenSSLRevocationTests {
    /// 2026-12-01 00:00:00 UTC; the validity of the vectors starts ten days earlier.
    static let now = Date(timeIntervalSince1970: 1_796_083_200)
    static let nonce = stride(from: 0, to: OpenSSLVectors.nonce.utf8.count, by: 2).map { offset in
        UInt8(OpenSSLVectors.nonce.dropFirst(offset).prefix(2), radix: 16) ?? 0
    }

    let root: Certificate
    let good: Certificate
    let bad: Certificate

    init() throws {
        root = try Certificate(pemEncoded: OpenSSLVectors.root)
        good = try Certificate(pemEncoded: OpenSSLVectors.good)
        bad = try Certificate(pemEncoded: OpenSSLVectors.bad)
    }

    private func status(_ certificate: Certificate, _ evidence: RevocationEvidence) -> RevocationStatus {
        RevocationCheck.status(of: certificate, issuedBy: root, evidence: evidence, at: Self.now)
    }

    private func isGood(_ status: RevocationStatus) -> Bool {
        if case .good = status { true } else { false }
    }

    private func isRevoked(_ status: RevocationStatus, _ reason: RevocationReason = .keyCompromise) -> Bool {
        if case .revoked(_, reason) = status { true } else { false }
    }

    private func evidence(_ response: String, nonce: [UInt8]? = nil) throws -> RevocationEvidence {
        .init(responses: [.init(try OCSPResponse(derEncoded: bytes(base64: response)), nonce: nonce)])
    }

    @Test("OpenSSL's CRL is read") func list() throws {
        let evidence = RevocationEvidence(lists: [try CertificateRevocationList(pemEncoded: OpenSSLVectors.list)])
        #expect(isGood(status(good, evidence)) && isRevoked(status(bad, evidence)))
    }

    @Test(
        "OpenSSL's CRLs with other algorithms are verified",
        arguments: [
            (OpenSSLAlgorithmVectors.rsaRoot, OpenSSLAlgorithmVectors.rsaList),
            (OpenSSLAlgorithmVectors.p384Root, OpenSSLAlgorithmVectors.p384List),
            (OpenSSLAlgorithmVectors.ed25519Root, OpenSSLAlgorithmVectors.ed25519List),
        ])
    func algorithms(root: String, list: String) throws {
        let root = try Certificate(pemEncoded: root)
        let list = try CertificateRevocationList(pemEncoded: list)
        let evidence = RevocationEvidence(lists: [list])
        let found = RevocationCheck.status(of: root, issuedBy: root, evidence: evidence, at: Self.now)
        #expect(isRevoked(found, .superseded))
        var tampered = list.derBytes
        tampered[tampered.count - 1] ^= 1
        let forged = try CertificateRevocationList(derEncoded: tampered)
        let status = RevocationCheck.status(of: root, issuedBy: root, evidence: .init(lists: [forged]), at: Self.now)
        #expect(status == .unusable(.badSignature))
    }

    @Test("OpenSSL's OCSP responses are read") func responses() throws {
        #expect(try isGood(status(good, evidence(OpenSSLVectors.goodResponse))))
        #expect(try isRevoked(status(bad, evidence(OpenSSLVectors.badResponse))))
        #expect(try isRevoked(status(bad, evidence(OpenSSLVectors.badResponseOfSHA256))))
        #expect(try status(bad, evidence(OpenSSLVectors.goodResponse)) == .absent)
    }

    @Test("OpenSSL's response contains the nonce of the request") func nonces() throws {
        let vector = OpenSSLVectors.goodResponseWithNonce
        #expect(try isGood(status(good, evidence(vector, nonce: Self.nonce))))
        #expect(try isGood(status(good, evidence(vector))))
        #expect(try status(good, evidence(vector, nonce: [1])) == .unusable(.nonceMismatch))
    }

    @Test("An OCSP request equals OpenSSL's") func requests() throws {
        let request = try OCSPRequest(for: good, issuer: root)
        #expect(try request.derEncoded == bytes(base64: OpenSSLVectors.goodRequest))
        let withNonce = try OCSPRequest(for: good, issuer: root, nonce: Self.nonce)
        #expect(try withNonce.derEncoded == bytes(base64: OpenSSLVectors.goodRequestWithNonce))
        #expect(withNonce.nonce == Self.nonce)
    }

    @Test("A short request is encoded in a path, and a nonce has a length limit") func getRequest() throws {
        let request = try OCSPRequest(for: good, issuer: root)
        let component = try #require(request.pathComponent)
        #expect(component.allSatisfy { $0.isLetter || $0.isNumber || $0 == "%" })
        #expect(component.removingPercentEncoding == Data(request.derEncoded).base64EncodedString())
        let long = try OCSPRequest(for: good, issuer: root, nonce: [UInt8](repeating: 1, count: 128))
        #expect(long.pathComponent == nil)
        for count in [0, 129] {
            #expect(throws: RevocationEncodingError.nonceLength(count)) {
                try OCSPRequest(for: good, issuer: root, nonce: [UInt8](repeating: 1, count: count))
            }
        }
    }

    @Test("The URLs of CRLs, responders and issuers are read") func pointers() throws {
        let pointers = RevocationPointers(ParsedCertificate(good))
        #expect(pointers.responders == ["http://ocsp.a.test/"] && pointers.issuers == ["http://a.test/root.cer"])
        #expect(pointers.lists == ["http://a.test/root.crl"] && ParsedCertificate(good).mustStaple)
        let none = RevocationPointers(ParsedCertificate(root))
        #expect(
            none.responders.isEmpty && none.issuers.isEmpty && none.lists.isEmpty
                && !ParsedCertificate(root).mustStaple)
    }
}
