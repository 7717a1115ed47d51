// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import Foundation
import HTTPTypes
import Secrets
import Testing
import X509

@Suite struct ACMEServerHTTPTests {
    @Test("The directory contains every resource and the configured metadata") func directory() async throws {
        let lab = try ServerLab {
            $0.termsOfService = "https://ca.test/terms"
            $0.website = "https://ca.test/"
            $0.caaIdentities = ["ca.test"]
            $0.profiles = ["short": "A week"]
            $0.externalAccountKey = { _ in nil }
        }
        let response = await lab.send(.get, "/directory")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.links == [])
        let directory = try response.decode(ACMEDirectory.self)
        let base = ServerLab.base
        #expect(directory.newNonce == base + "/new-nonce")
        #expect(directory.newAccount == base + "/new-account")
        #expect(directory.newOrder == base + "/new-order")
        #expect(directory.revokeCert == base + "/revoke-cert")
        #expect(directory.keyChange == base + "/key-change")
        #expect(directory.renewalInfo == base + "/renewal-info")
        #expect(directory.newAuthz == nil)
        let meta = try #require(directory.meta)
        #expect(meta.termsOfService == "https://ca.test/terms")
        #expect(meta.website == "https://ca.test/")
        #expect(meta.caaIdentities == ["ca.test"])
        #expect(meta.externalAccountRequired == true)
        #expect(meta.profiles == ["short": "A week"])
    }

    @Test(
        "HEAD returns a nonce with 200 and GET with 204, both without caching",
        arguments: [(HTTPRequest.Method.head, 200), (.get, 204)])
    func newNonce(method: HTTPRequest.Method, status: Int) async throws {
        let lab = try ServerLab()
        let response = await lab.send(method, "/new-nonce")
        #expect(response.status.code == status)
        #expect(response.body.isEmpty)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.links == ["<https://ca.test/acme/directory>;rel=\"index\""])
        let nonce = try #require(response.headers[.nonce])
        #expect(Base64URL.decode(nonce) != nil)
        #expect(await lab.send(method, "/new-nonce").headers[.nonce] != nonce)
    }

    @Test(
        "An unsupported method is refused with 405 and Allow",
        arguments: [
            (HTTPRequest.Method.get, "/new-account", "POST"), (.get, "/new-order", "POST"), (.get, "/order/a", "POST"),
            (.get, "/authorization/a", "POST"), (.get, "/challenge/a/http-01", "POST"),
            (.get, "/certificate/a", "POST"),
            (.get, "/account/a", "POST"), (.get, "/revoke-cert", "POST"), (.head, "/key-change", "POST"),
            (.put, "/new-order", "POST"), (.delete, "/account/a", "POST"), (.post, "/directory", "GET, HEAD"),
            (.post, "/new-nonce", "GET, HEAD"), (.post, "/renewal-info/a.b", "GET, HEAD"),
        ])
    func methods(method: HTTPRequest.Method, path: String, allowed: String) async throws {
        let lab = try ServerLab()
        let response = await lab.send(method, path, contentType: "application/jose+json")
        try response.expect(.malformed, 405)
        #expect(response.headers[.allow] == allowed)
    }

    @Test(
        "Unknown paths are not found",
        arguments: [
            "", "/", "directory", "/directory/", "/order", "/order/a/b", "/order//finalize/", "/challenge/a",
            "/account/a/orders/b", "/new-order/", "/\(String(repeating: "a", count: 512))",
            "/order/\(String(repeating: "a", count: 600))",
        ])
    func paths(path: String) async throws {
        let lab = try ServerLab()
        for method in [HTTPRequest.Method.get, .post] {
            let response = await lab.send(method, path, contentType: "application/jose+json", body: [])
            try response.expect(.malformed, 404)
        }
    }

    @Test(
        "The content type must be application/jose+json, in any case and with any parameters",
        arguments: [
            ("application/jose+json", true), ("Application/JOSE+JSON", true),
            ("application/jose+json; charset=utf-8", true),
            ("application/json", false), ("application/jose+jsonx", false), ("text/plain", false), ("", false),
        ])
    func contentTypes(type: String, isTaken: Bool) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("", for: account.path, by: .account(account))
        let response = await lab.send(.post, account.path, contentType: type, body: body)
        if isTaken {
            #expect(response.status == .ok)
        } else {
            try response.expect(.malformed, 415)
        }
    }

    @Test("A request without a content type is refused") func noContentType() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("", for: account.path, by: .account(account))
        try await lab.send(.post, account.path, body: body).expect(.malformed, 415)
    }

    @Test("A body at the limit is read, and one above it is refused with 413") func size() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        var body = try await lab.signed("", for: account.path, by: .account(account))
        body += [UInt8](repeating: 32, count: ACMEServer.maximumRequestSize - body.count)
        #expect(await lab.post(body: body, to: account.path).status == .ok)
        try await lab.post(body: body + [32], to: account.path).expect(.malformed, 413)
    }

    @Test("Every response to a signed request has a nonce, the index link and no-store") func fields() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        for response in [
            try await lab.post("", to: account.path, by: account),
            try await lab.post("", to: "/order/none", by: account),
        ] {
            #expect(response.headers[values: .nonce].count == 1)
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(response.links.contains("<https://ca.test/acme/directory>;rel=\"index\""))
        }
    }

    @Test("A failure of the store is reported without its cause") func storeFails() async throws {
        let lab = try ServerLab()
        let server = ACMEServer(
            .init(baseURL: ServerLab.base), store: FailingStore(), issuer: lab.issuer, validator: TestValidator())
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        let body = try await lab.signed("{}", for: "/new-account", by: .key(key))
        let response = await server.respond(
            to: ACMEServerRequest(
                method: .post, path: "/new-account", contentType: "application/jose+json", body: body))
        #expect(response.status.code == 400)
        // A nonce of this server, so that the server queries the store.
        let nonce = try #require(response.headers[.nonce])
        let own = try JSONWebSignature.sign(
            Array("{}".utf8), nonce: nonce, url: ServerLab.base + "/new-account", with: key)
        let failed = await server.respond(
            to: ACMEServerRequest(method: .post, path: "/new-account", contentType: "application/jose+json", body: own))
        try failed.expect(.serverInternal, 500)
        #expect(!failed.text.contains("hunter2"))
    }

    private struct FailingStore: ACMEStore {
        struct Failure: Error { let secret = "hunter2" }

        func transact<Value: Sendable>(
            _ body: @Sendable @escaping (any ACMERecords) throws -> Value
        ) async throws -> Value { throw Failure() }
    }
}

@Suite struct ACMEServerSignatureTests {
    static let otherURL = ServerLab.base + "/account/other"

    @Test("A request for another URL is refused") func url() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("", for: "/account/other", by: .account(account))
        try await lab.post(body: body, to: account.path).expect(.unauthorized, 403)
    }

    @Test(
        "A kid that does not name an account of this server is refused",
        arguments: [
            ServerLab.base + "/account/none", "https://other.test/acme/account/a", "", "a",
            ServerLab.base + "/account/",
            ServerLab.base + "/order/a",
        ])
    func unknownAccount(kid: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let stranger = TestAccount(key: account.key, url: kid)
        let response = try await lab.post("", to: account.path, by: stranger)
        try response.expect(.accountDoesNotExist, 400)
    }

    @Test("A request that is signed by another key is refused, and its nonce stays valid") func otherKey() async throws
    {
        let lab = try ServerLab()
        let account = try await lab.account()
        let nonce = try await lab.nonce()
        let other = try AccountKey(.init(P256.Signing.PrivateKey()))
        let url = ServerLab.base + account.path
        let forged = try JSONWebSignature.sign([], as: account.url, nonce: nonce, url: url, with: other)
        try await lab.post(body: forged, to: account.path).expect(.malformed, 400)
        let own = try JSONWebSignature.sign([], as: account.url, nonce: nonce, url: url, with: account.key)
        #expect(await lab.post(body: own, to: account.path).status == .ok)
    }

    @Test(
        "An algorithm that does not match the key is refused, with a list of known ones",
        arguments: ["none", "HS256", "RS256", "PS256"])
    func algorithms(name: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let header = """
            {"alg":"\(name)","kid":"\(account.url)","nonce":"\(try await lab.nonce())","url":"\(account.url)"}
            """
        let body = """
            {"protected":"\(Base64URL.encode(Array(header.utf8)))","payload":"","signature":""}
            """
        let problem = try await lab.post(body: Array(body.utf8), to: account.path).expect(.badSignatureAlgorithm, 400)
        #expect(problem.algorithms == [.rs256, .es256, .es384, .es512, .edDSA])
    }

    @Test("HMAC with the public key as the secret is refused") func confusion() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let header = """
            {"alg":"HS256","kid":"\(account.url)","nonce":"\(try await lab.nonce())","url":"\(account.url)"}
            """
        let protected = Base64URL.encode(Array(header.utf8))
        let secret = try JSONEncoder().encode(account.key.publicKey)
        let tag = HMAC<SHA256>.authenticationCode(for: Data("\(protected).".utf8), using: SymmetricKey(data: secret))
        let body = #"{"protected":"\#(protected)","payload":"","signature":"\#(Base64URL.encode(Array(tag)))"}"#
        try await lab.post(body: Array(body.utf8), to: account.path).expect(.badSignatureAlgorithm, 400)
    }

    @Test("A key that is too small is refused with badPublicKey") func smallKey() async throws {
        let lab = try ServerLab()
        let header = """
            {"alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":"\(Base64URL.encode([UInt8](repeating: 0xC1, count: 128)))"},\
            "nonce":"\(try await lab.nonce())","url":"\(ServerLab.base)/new-account"}
            """
        let body = #"{"protected":"\#(Base64URL.encode(Array(header.utf8)))","payload":"","signature":""}"#
        try await lab.post(body: Array(body.utf8), to: "/new-account").expect(.badPublicKey, 400)
    }

    @Test(
        "A request with a jwk cannot read an account's resource",
        arguments: [
            "/new-order", "/key-change", "/order/a", "/authorization/a", "/challenge/a/http-01", "/certificate/a",
        ])
    func keyAlone(path: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let payload = #"{"identifiers":[{"type":"dns","value":"a.example"}]}"#
        let response = try await lab.post(
            ["/order/a", "/certificate/a"].contains(path) ? "" : payload, to: path, by: .key(account.key))
        try response.expect(.malformed, 400)
    }
}

@Suite struct ACMEServerNonceTests {
    @Test(
        "A missing, foreign or malformed nonce is refused",
        arguments: [
            (String?.none, ACMEProblem.Kind.badNonce), ("", .badNonce), ("QUJD", .badNonce), ("a b", .malformed),
            (Base64URL.encode([UInt8](repeating: 0, count: 40)), .badNonce),
        ])
    func badNonces(nonce: String?, kind: ACMEProblem.Kind) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try JSONWebSignature.sign([], as: account.url, nonce: nonce, url: account.url, with: account.key)
        let response = await lab.post(body: body, to: account.path)
        try response.expect(kind, 400)
        // RFC 8555 section 6.5: a badNonce response contains a valid nonce.
        let fresh = try #require(response.headers[.nonce])
        let again = try JSONWebSignature.sign([], as: account.url, nonce: fresh, url: account.url, with: account.key)
        #expect(await lab.post(body: again, to: account.path).status == .ok)
    }

    @Test("A nonce is accepted once") func twice() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("", for: account.path, by: .account(account))
        #expect(await lab.post(body: body, to: account.path).status == .ok)
        try await lab.post(body: body, to: account.path).expect(.badNonce, 400)
    }

    @Test("Of 50 concurrent requests with the same nonce, one is accepted") func parallel() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let body = try await lab.signed("", for: account.path, by: .account(account))
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await lab.post(body: body, to: account.path).status == .ok } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 1)
    }

    @Test("A nonce is valid for an hour, and stays used when expired records are removed") func expiry() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let first = try await lab.signed("", for: account.path, by: .account(account))
        let second = try await lab.signed("", for: account.path, by: .account(account))
        lab.clock.advance(by: 3_598)
        #expect(await lab.post(body: first, to: account.path).status == .ok)
        try await lab.server.removeExpired()
        try await lab.post(body: first, to: account.path).expect(.badNonce, 400)
        lab.clock.advance(by: 3)
        try await lab.post(body: second, to: account.path).expect(.badNonce, 400)
        try await lab.server.removeExpired()
        try await lab.post(body: first, to: account.path).expect(.badNonce, 400)
    }

    @Test("Servers with the same nonce key accept each other's nonces") func shared() async throws {
        let key = Secret("0123456789abcdef0123456789abcdef")
        let lab = try ServerLab { $0.nonceKey = key }
        let account = try await lab.account()
        let issuer = lab.issuer
        for (nonceKey, kind) in [(key, ACMEProblem.Kind?.none), (Secret("another key of the same length!"), .badNonce)]
        {
            var configuration = ACMEServer.Configuration(baseURL: ServerLab.base)
            configuration.nonceKey = nonceKey
            let server = ACMEServer(configuration, store: lab.store, issuer: issuer, validator: TestValidator())
            let body = try await lab.signed("", for: account.path, by: .account(account))
            let response = await server.respond(
                to: ACMEServerRequest(
                    method: .post, path: account.path, contentType: "application/jose+json", body: body))
            if let kind {
                try response.expect(kind, 400)
            } else {
                #expect(response.status == .ok)
            }
        }
    }

    @Test("A nonce whose time or tag was changed is refused", arguments: [0, 7, 8, 23, 24, 39])
    func forged(index: Int) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        var bytes = try #require(Base64URL.decode(try await lab.nonce()))
        bytes[index] ^= 1
        let body = try JSONWebSignature.sign(
            [], as: account.url, nonce: Base64URL.encode(bytes), url: account.url, with: account.key)
        try await lab.post(body: body, to: account.path).expect(.badNonce, 400)
    }
}
