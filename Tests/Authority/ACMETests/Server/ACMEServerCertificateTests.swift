// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import CertificateAuthorities
import CertificateTrust
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Identities
import SwiftASN1
import Testing
import X509

@Suite struct ACMEServerFinalizationTests {
    @Test("A ready order is finalized, and its certificate is downloaded") func finalize() async throws {
        let lab = try ServerLab { $0.profiles = ["short": "A week"] }
        let account = try await lab.account()
        let names = ["a.example", "*.b.example", "192.0.2.1", "2001:db8::1"]
        let order = try await lab.readyOrder(names, #","profile":"short""#, by: account)
        #expect(order.order.profile == "short")
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let response = try await lab.post(ServerLab.csr(names.reversed(), key: key), to: order.finalize, by: account)
        #expect(response.status == .ok)
        #expect(response.headers[.location] == ServerLab.base + order.path)
        let done = try response.decode(ACMEOrder.self)
        #expect(done.status == .valid)
        #expect(try await lab.read(order).order == done)
        let url = try #require(done.certificate)
        let download = try await lab.post("", to: url.belowBase, by: account)
        #expect(download.headers[.contentType] == "application/pem-certificate-chain")
        let pems = try PEMDocument.parseMultiple(pemString: download.text)
        let chain = try pems.map { try Certificate(pemDocument: $0) }
        #expect(chain.count == 2)
        #expect(chain[0].publicKey == key.publicKey)
        #expect(chain[1] == lab.issuer.authority.certificate)
        #expect(chain[1].publicKey.isValidSignature(chain[0].signature, for: chain[0]))
        #expect(await lab.issuer.profiles == ["short"])
        try await lab.post(ServerLab.csr(names), to: order.finalize, by: account).expect(.orderNotReady, 403)
    }

    @Test("An order that is not ready is not finalized") func notReady() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        try await lab.post(ServerLab.csr(["a.example"]), to: order.finalize, by: account).expect(.orderNotReady, 403)
        try await lab.post(ServerLab.csr(["a.example"]), to: "/order/none/finalize", by: account)
            .expect(.malformed, 404)
        #expect(await lab.issuer.requests.isEmpty)
    }

    enum Fault: CaseIterable {
        case fewerNames, moreNames, otherNames, noNames, otherCommonName, mailbox, wrongSignature, weakKey, accountKey
        case otherAccountKey, authority, noRequest, padded, empty, tooLarge

        func der(_ account: TestAccount, key: Certificate.PrivateKey, other: Certificate.PrivateKey) throws -> [UInt8] {
            let names = ["a.example", "b.example"]
            return switch self {
            case .fewerNames: try CertificateRequest.encode(.server(names: ["a.example"]), key: Self.fresh)
            case .moreNames: try CertificateRequest.encode(.server(names: names + ["c.example"]), key: Self.fresh)
            case .otherNames:
                try CertificateRequest.encode(.server(names: ["a.example", "*.b.example"]), key: Self.fresh)
            case .noNames: try Self.request([], common: nil)
            case .otherCommonName: try Self.request(names, common: "c.example")
            case .mailbox: try Self.request(names, common: nil, mailbox: "mary@a.example")
            case .wrongSignature: try Self.tampered(CertificateRequest.encode(.server(names: names), key: Self.fresh))
            case .weakKey:
                try Self.request(
                    names, common: nil,
                    key: .init(_RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1_024))),
                    algorithm: .sha256WithRSAEncryption)
            case .accountKey: try CertificateRequest.encode(.server(names: names), key: key)
            case .otherAccountKey: try CertificateRequest.encode(.server(names: names), key: other)
            case .authority: try Self.request(names, common: nil, isAuthority: true)
            case .noRequest: Array("no request".utf8)
            case .padded, .empty: []
            case .tooLarge: [UInt8](repeating: 0x30, count: 70_000)
            }
        }

        static var fresh: Certificate.PrivateKey { .init(P256.Signing.PrivateKey()) }

        private static func tampered(_ der: [UInt8]) -> [UInt8] {
            var der = der
            der[der.count - 1] ^= 1
            return der
        }

        static func request(
            _ names: [String], common: String?, mailbox: String? = nil, isAuthority: Bool = false,
            key: Certificate.PrivateKey = fresh, algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256
        ) throws -> [UInt8] {
            let alternatives = names.map { GeneralName.dnsName($0) } + (mailbox.map { [.rfc822Name($0)] } ?? [])
            let extensions = try Certificate.Extensions {
                if !alternatives.isEmpty { SubjectAlternativeNames(alternatives) }
                if isAuthority { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
            }
            let subject = try DistinguishedName { if let common { CommonName(common) } }
            let request = try CertificateSigningRequest(
                version: .v1, subject: subject, privateKey: key,
                attributes: .init([.init(ExtensionRequest(extensions: extensions))]), signatureAlgorithm: algorithm)
            var serializer = DER.Serializer()
            try serializer.serialize(request)
            return serializer.serializedBytes
        }
    }

    @Test(
        "An unacceptable certificate request is refused, and the order stays ready",
        arguments: Fault.allCases)
    func refused(fault: Fault) async throws {
        let lab = try ServerLab()
        let (key, otherKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let account = try await lab.account(AccountKey(.init(key)))
        _ = try await lab.account(AccountKey(.init(otherKey)))
        let order = try await lab.readyOrder(["a.example", "b.example"], by: account)
        let der = try fault.der(account, key: .init(key), other: .init(otherKey))
        let csr = Base64URL.encode(der) + (fault == .padded ? "QQ==" : "")
        try await lab.post(#"{"csr":"\#(csr)"}"#, to: order.finalize, by: account).expect(.badCSR, 400)
        #expect(try await lab.read(order).order.status == .ready)
        #expect(await lab.issuer.requests.isEmpty)
        let good = try await lab.post(ServerLab.csr(order.names), to: order.finalize, by: account)
        #expect(try good.decode(ACMEOrder.self).status == .valid)
    }

    @Test("A payload without a certificate request is refused", arguments: ["", "{}", "[]", #"{"csr":7}"#])
    func payloads(payload: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        try await lab.post(payload, to: order.finalize, by: account).expect(.malformed, 400)
    }

    @Test("A common name may be a name of the order in any case") func commonName() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let response = try await lab.post(ServerLab.csr(["A.Example"], key: key), to: order.finalize, by: account)
        #expect(response.status == .ok, "\(response.text)")
    }

    @Test(
        "A name may be the common name, an alternative name, or both (RFC 8555 section 7.4)",
        arguments: [
            ("b.example", ["a.example"]), ("B.Example", ["a.example", "b.example"]), ("a.example", ["b.example"]),
            (nil, ["b.example", "a.example"]),
        ] as [(String?, [String])])
    func namesInEitherPlace(common: String?, names: [String]) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example", "b.example"], by: account)
        let csr = Base64URL.encode(try Fault.request(names, common: common))
        let response = try await lab.post(#"{"csr":"\#(csr)"}"#, to: order.finalize, by: account)
        #expect(try response.decode(ACMEOrder.self).status == .valid, "\(response.text)")
    }

    @Test(
        "The refusal of a request names the wrong name",
        arguments: [
            ("c.example", ["a.example", "b.example"], "The request asks for c.example, which is not in the order."),
            (nil, ["a.example"], "The request does not ask for b.example, which is in the order."),
            (
                "My server", ["a.example", "b.example"],
                "The common name \"My server\" of the certificate request is not a DNS name or an IP address."
            ),
        ] as [(String?, [String], String)])
    func refusedName(common: String?, names: [String], detail: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example", "b.example"], by: account)
        let csr = Base64URL.encode(try Fault.request(names, common: common))
        let response = try await lab.post(#"{"csr":"\#(csr)"}"#, to: order.finalize, by: account)
        try response.expect(.badCSR, 400)
        #expect(try response.decode(ACMEProblem.self).detail == detail)
    }

    @Test("Of 50 concurrent requests to finalize an order, one issues a certificate") func parallel() async throws {
        let lab = try ServerLab()
        await lab.issuer.wait(.milliseconds(20))
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let csr = try ServerLab.csr(["a.example"])
        let responses = try await withThrowingTaskGroup(of: ACMEServerResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await lab.post(csr, to: order.finalize, by: account) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.count { $0.status == .ok } == 1)
        #expect(await lab.issuer.requests.count == 1)
        for response in responses where response.status != .ok { try response.expect(.orderNotReady, 403) }
        #expect(try await lab.read(order).order.status == .valid)
    }

    @Test("An order is processing while its certificate is issued, and fails after five minutes")
    func processing() async throws {
        let lab = try ServerLab()
        await lab.issuer.wait(.seconds(1))
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let csr = try ServerLab.csr(["a.example"])
        let first = Task { try await lab.post(csr, to: order.finalize, by: account) }
        while await lab.issuer.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        let response = try await lab.post("", to: order.path, by: account)
        #expect(try response.decode(ACMEOrder.self).status == .processing)
        #expect(response.headers[.retryAfter] == "0")
        lab.clock.advance(by: 300)
        #expect(try await lab.read(order).order.status == .invalid)
        _ = try await first.value
    }

    @Test("A client that disconnects during issuance finds the certificate later") func cancelled() async throws {
        let lab = try ServerLab()
        await lab.issuer.wait(.milliseconds(50))
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let csr = try ServerLab.csr(["a.example"])
        let request = Task { try await lab.post(csr, to: order.finalize, by: account) }
        while await lab.issuer.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        request.cancel()
        _ = try await request.value
        #expect(try await lab.read(order).order.status == .valid)
    }

    @Test("An authority's failure makes the order invalid, without revealing the reason") func issuerFails()
        async throws
    {
        let lab = try ServerLab()
        await lab.issuer.fail()
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        let response = try await lab.post(ServerLab.csr(["a.example"]), to: order.finalize, by: account)
        let failed = try response.decode(ACMEOrder.self)
        #expect(failed.status == .invalid)
        #expect(failed.error?.type == .serverInternal)
        #expect(failed.certificate == nil)
        #expect(!response.text.contains("Failure()"))
    }
}

@Suite struct ACMEServerRevocationTests {
    static func payload(_ certificate: Certificate, _ reason: String = "") throws -> String {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return #"{"certificate":"\#(Base64URL.encode(serializer.serializedBytes))"\#(reason)}"#
    }

    @Test("A certificate can be revoked once by the account that ordered it") func byAccount() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let leaf = try await lab.issue(["a.example"], by: account)[0]
        let response = try await lab.post(Self.payload(leaf, #","reason":4"#), to: "/revoke-cert", by: account)
        #expect(response.status == .ok)
        #expect(response.body.isEmpty)
        #expect(await lab.issuer.revocations == [leaf.serialNumber: .superseded])
        try await lab.post(Self.payload(leaf), to: "/revoke-cert", by: account).expect(.alreadyRevoked, 400)
        #expect(await lab.issuer.revocations == [leaf.serialNumber: .superseded])
    }

    @Test("A certificate's own key can revoke it without an account") func byKey() async throws {
        let lab = try ServerLab()
        let key = P256.Signing.PrivateKey()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(key.publicKey))[0]
        let signer = try AccountKey(.init(key))
        let response = try await lab.post(Self.payload(leaf, #","reason":1"#), to: "/revoke-cert", by: .key(signer))
        #expect(response.status == .ok)
        #expect(await lab.issuer.revocations == [leaf.serialNumber: .keyCompromise])
    }

    @Test(
        "An account can revoke a certificate only if it is authorized for all names",
        arguments: [
            (["a.example", "*.b.example"], true), (["a.example", "*.b.example", "c.example"], true),
            (["a.example"], false), (["a.example", "b.example"], false), (["c.example"], false),
        ])
    func byAuthorization(names: [String], mayRevoke: Bool) async throws {
        let lab = try ServerLab()
        let owner = try await lab.account()
        let leaf = try await lab.issue(["a.example", "*.b.example"], by: owner)[0]
        let account = try await lab.account()
        _ = try await lab.readyOrder(names, by: account)
        let response = try await lab.post(Self.payload(leaf), to: "/revoke-cert", by: account)
        if mayRevoke {
            #expect(response.status == .ok)
        } else {
            try response.expect(.unauthorized, 403)
        }
        #expect(await lab.issuer.revocations.isEmpty == !mayRevoke)
    }

    @Test("Pending, deactivated and expired authorizations do not permit revocation", arguments: 0..<3)
    func noLongerAuthorized(state: Int) async throws {
        let lab = try ServerLab()
        let owner = try await lab.account()
        let leaf = try await lab.issue(["a.example"], by: owner)[0]
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        if state > 0 { try await lab.authorize(order) }
        if state == 1 { _ = try await lab.post(#"{"status":"deactivated"}"#, to: order.authorization, by: account) }
        if state == 2 { lab.clock.advance(by: 8 * 86_400) }
        try await lab.post(Self.payload(leaf), to: "/revoke-cert", by: account).expect(.unauthorized, 403)
    }

    @Test("Another key cannot revoke a certificate") func otherKey() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let leaf = try await lab.issue(["a.example"], by: account)[0]
        for key in [try AccountKey(.init(P256.Signing.PrivateKey())), account.key] {
            try await lab.post(Self.payload(leaf), to: "/revoke-cert", by: .key(key)).expect(.unauthorized, 403)
        }
        #expect(await lab.issuer.revocations.isEmpty)
    }

    @Test(
        "Revocation reasons that are reserved for the authority are refused",
        arguments: [-1, 2, 6, 7, 8, 9, 10, 11, 256, 257])
    func reasons(reason: Int) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let leaf = try await lab.issue(["a.example"], by: account)[0]
        let payload = try Self.payload(leaf, #","reason":\#(reason)"#)
        try await lab.post(payload, to: "/revoke-cert", by: account).expect(.badRevocationReason, 400)
        #expect(await lab.issuer.revocations.isEmpty)
    }

    @Test("Only certificates of the authority can be revoked") func unknown() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let leaf = try await lab.issue(["a.example"], by: account)[0]
        for payload in ["{}", #"{"certificate":"AAAA"}"#, #"{"certificate":"QQ=="}"#] {
            try await lab.post(payload, to: "/revoke-cert", by: account).expect(.malformed, 400)
        }
        // Another authority's certificate has the same serial number.
        let key = P256.Signing.PrivateKey()
        let forged = try Certificate(
            version: .v3, serialNumber: leaf.serialNumber, publicKey: .init(key.publicKey),
            notValidBefore: leaf.notValidBefore, notValidAfter: leaf.notValidAfter, issuer: leaf.issuer,
            subject: leaf.subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: leaf.extensions,
            issuerPrivateKey: .init(key))
        let signer = try AccountKey(.init(key))
        try await lab.post(Self.payload(forged), to: "/revoke-cert", by: .key(signer)).expect(.malformed, 404)
        let own = try CertificateAuthority.selfSigned(.server(names: ["a.example"]), now: Date())
        try await lab.post(Self.payload(own.certificate), to: "/revoke-cert", by: account).expect(.malformed, 404)
        #expect(await lab.issuer.revocations.isEmpty)
    }

    @Test("Of ten concurrent revocations, one succeeds") func parallel() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let payload = try Self.payload(try await lab.issue(["a.example"], by: account)[0])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
                group.addTask { try await lab.post(payload, to: "/revoke-cert", by: account).status.code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [Int](repeating: 400, count: 9))
    }
}

@Suite struct ACMEServerRenewalTests {
    @Test("Renewal information is available without authentication") func window() async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        let identifier = try #require(CertificateIdentifier(leaf))
        let response = await lab.send(.get, "/renewal-info/\(identifier)")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.retryAfter] == "21600")
        let window = try response.decode(RenewalInfo.self).suggestedWindow
        #expect(window == RenewalInfo(validFrom: leaf.notValidBefore, to: leaf.notValidAfter).suggestedWindow)
        #expect(window.start > lab.clock.now)
    }

    @Test("The renewal window of a revoked certificate has begun") func revoked() async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        _ = try await lab.issuer.revoke(leaf.serialNumber, reason: .keyCompromise)
        let response = await lab.send(.get, "/renewal-info/\(try #require(CertificateIdentifier(leaf)))")
        let window = try response.decode(RenewalInfo.self).suggestedWindow
        #expect(window.end < lab.clock.now)
        #expect(window.start < window.end)
    }

    @Test(
        "The window of the shortest certificate is not empty (RFC 9773 section 4.2)",
        arguments: [1, 2, 10, 49, 60, 3_600])
    func short(seconds: Double) {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let window = RenewalInfo(validFrom: start, to: start + seconds).suggestedWindow
        #expect(window.start < window.end)
    }

    @Test(
        "An invalid identifier is malformed, and an unknown one is not found",
        arguments: [
            ("none", 400), ("a.b", 400), ("AA.AA.AA", 400), ("aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE", 404),
        ])
    func refused(text: String, status: Int) async throws {
        let lab = try ServerLab()
        let response = await lab.send(.get, "/renewal-info/\(text)")
        try response.expect(.malformed, status)
    }

    @Test("A known serial number with another authority's key is not found") func otherAuthority() async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        let parts = "\(try #require(CertificateIdentifier(leaf)))".split(separator: ".")
        let other = Base64URL.encode([UInt8](repeating: 7, count: 20))
        try await lab.send(.get, "/renewal-info/\(other).\(parts[1])").expect(.malformed, 404)
    }
}
