// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEClients
import ACMEServers
import CertificateAuthorities
import CertificateTrust
import Countersign
import Crypto
import Foundation
import HTTPTypes
import NIOCore
import SwiftASN1
import Testing
import X509

@Suite struct ACMEClientExchangeTests {
    @Test("A rejected nonce is replaced by the one in the error response", arguments: [1, 8])
    func badNonce(rejections: Int) async throws {
        let lab = try ServerLab()
        let left = Box(0)
        let client = InProcessClient(server: lab.server) { path, request in
            guard path == "/new-order",
                left.change({
                    $0 += 1; return $0
                }) <= rejections
            else { return nil }
            let fields: HTTPFields = [.nonce: try await lab.nonce()]
            let text = #"{"type":"urn:ietf:params:acme:error:badNonce"}"#
            return try SessionResponse(
                to: request, status: .badRequest, type: "application/problem+json", text: text, fields: fields)
        }
        let account = try await ACMEClientOrderTests.account(over: client)
        let issued = try await account.obtain(
            ACMEClientOrderTests.names("a.example"), key: .init(P256.Signing.PrivateKey()),
            answering: [ACMEClientOrderTests.silent])
        #expect(issued.chain.count == 2)
        #expect(left.value == rejections + 1)
    }

    @Test("The client gives up after nine requests if the server rejects every nonce") func everyNonce() async throws {
        let lab = try ServerLab()
        let count = Box(0)
        let client = InProcessClient(server: lab.server) { path, request in
            guard path == "/new-order" else { return nil }
            count.change { $0 += 1 }
            let text = #"{"type":"urn:ietf:params:acme:error:badNonce"}"#
            return try SessionResponse(to: request, status: .badRequest, type: "application/problem+json", text: text)
        }
        await ACMEClientOrderTests.refuses(.badNonce) { try await ACMEClientOrderTests.obtain(over: client) }
        #expect(count.value == 9)
    }

    @Test("Stale nonces in the pool are replaced without an error") func staleNonces() async throws {
        let lab = try ServerLab()
        let account = try await ACMEClientOrderTests.account(over: InProcessClient(server: lab.server))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = try await account.read() } }
            try await group.waitForAll()
        }
        lab.clock.advance(by: 4_000)
        #expect(try await account.read().status == .valid)
    }

    static let waits: [(String, Int)] = [
        ("0", 0), ("7", 7), ("Mon, 23 Nov 2026 12:00:30 GMT", 30), ("Mon, 23 Nov 2026 11:00:00 GMT", 0),
    ]

    @Test("The error contains Retry-After, given in seconds or as a date", arguments: waits)
    func retryAfter(text: String, seconds: Int) async throws {
        let lab = try ServerLab()
        let client = InProcessClient(server: lab.server) { path, request in
            guard path == "/new-order" else { return nil }
            let fields: HTTPFields = [.retryAfter: text, .date: "Mon, 23 Nov 2026 12:00:00 GMT"]
            return try SessionResponse(
                to: request, status: .tooManyRequests, type: "application/problem+json; charset=utf-8",
                text: #"{"type":"urn:ietf:params:acme:error:rateLimited","detail":"Too many."}"#, fields: fields)
        }
        let problem = ACMEProblem(.rateLimited, "Too many.")
        await #expect(throws: ACMEClientError.refused(problem, retryAfter: seconds)) {
            try await ACMEClientOrderTests.obtain(over: client)
        }
    }

    @Test("A pending order is polled until it is complete", arguments: ["0", "Mon, 23 Nov 2026 12:00:00 GMT"])
    func delays(retryAfter: String) async throws {
        let looks = Box(0)
        let lab = try ServerLab(TestValidator { _ in try await Task.sleep(for: .milliseconds(150)) })
        let client = InProcessClient.changing(lab.server, waitsForValidation: false) { _, response in
            guard response.headers[.retryAfter] != nil else { return }
            looks.change { $0 += 1 }
            response.headers[.retryAfter] = retryAfter
            response.headers[.date] = "Mon, 23 Nov 2026 12:00:00 GMT"
        }
        let start = ContinuousClock.now
        try await ACMEClientOrderTests.obtain(over: client)
        #expect(looks.value >= 2)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test("The client polls an order whose certificate is being issued") func processing() async throws {
        let lab = try ServerLab()
        let polls = Box(0)
        let client = InProcessClient.changing(lab.server) { path, response in
            guard path.hasPrefix("/order/"), response.text.contains(#""status":"valid""#) else { return }
            guard
                polls.change({
                    $0 += 1; return $0
                }) <= 2
            else { return }
            response.edit {
                $0["status"] = "processing"; $0["certificate"] = nil
            }
            response.headers[.retryAfter] = "0"
        }
        let issued = try await ACMEClientOrderTests.obtain(over: client)
        #expect(issued.chain.count == 2)
        #expect(polls.value > 2)
    }

    @Test("An order fails at once if the next wait would exceed the timeout") func timedOut() async throws {
        let lab = try ServerLab(TestValidator { _ in try await Task.sleep(for: .seconds(5)) }) { $0.pollInterval = 60 }
        var client = InProcessClient(server: lab.server)
        client.waitsForValidation = false
        let start = ContinuousClock.now
        do {
            try await ACMEClientOrderTests.obtain(over: client, timeout: .seconds(50))
            Issue.record("it was issued")
        } catch ACMEClientError.timedOut(let seconds) {
            #expect((30...50).contains(seconds))
        }
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

@Suite struct ACMEClientRefusalTests {
    /// A server with one faulty response.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: ACMEClientError
        var change: @Sendable (String, inout ACMEServerResponse) -> Void
    }

    static let base = ServerLab.base
    static let name = ACMEIdentifier(type: .dns, value: "a.example")
    static let other = ACMEIdentifier(type: .dns, value: "b.example")

    private static func fault(
        _ description: String, _ error: ACMEClientError, at prefix: String,
        _ change: @escaping @Sendable (inout ACMEServerResponse) -> Void
    ) -> Fault {
        Fault(testDescription: description, error: error) { path, response in
            if path.hasPrefix(prefix) { change(&response) }
        }
    }

    static let faults = [
        fault("a directory in HTML", .unexpectedResponse(url: base + "/directory", status: 200), at: "/directory") {
            $0.body = Array("<html>".utf8)
        },
        fault(
            "a directory without newOrder", .unexpectedResponse(url: base + "/directory", status: 200), at: "/directory"
        ) {
            $0.edit { $0["newOrder"] = nil }
        },
        fault(
            "a directory that is not found", .unexpectedResponse(url: base + "/directory", status: 404),
            at: "/directory"
        ) {
            $0.status = .notFound
        },
        fault("no nonce", .unexpectedResponse(url: base + "/new-nonce", status: 200), at: "/new-nonce") {
            $0.headers[.nonce] = nil
        },
        fault(
            "an account without a URL", .unexpectedResponse(url: base + "/new-account", status: 201), at: "/new-account"
        ) {
            $0.headers[.location] = nil
        },
        fault("an order without a URL", .unexpectedResponse(url: base + "/new-order", status: 201), at: "/new-order") {
            $0.headers[.location] = nil
        },
        fault("an order that is none", .unexpectedResponse(url: base + "/new-order", status: 201), at: "/new-order") {
            $0.body = []
        },
        fault(
            "a failure without a problem", .unexpectedResponse(url: base + "/new-order", status: 502), at: "/new-order"
        ) {
            $0.status = .badGateway
        },
        fault(
            "a problem that says nothing", .refused(ACMEProblem(.init(rawValue: "about:blank")), retryAfter: nil),
            at: "/new-order"
        ) {
            $0.status = .badGateway
            $0.headers[.contentType] = "application/problem+json"
            $0.body = Array("{}".utf8)
        },
        fault(
            "an order with more authorizations than names",
            .unexpectedResponse(url: base + "/new-order", status: 201), at: "/new-order"
        ) {
            $0.edit { $0["authorizations"] = (1...1_000).map { base + "/authorization/\($0)" } }
        },
        fault("an order of other names", .otherIdentifiers([other]), at: "/new-order") {
            $0.edit { $0["identifiers"] = [["type": "dns", "value": "b.example"]] }
        },
        fault("an order of more names", .otherIdentifiers([name, other]), at: "/new-order") {
            $0.edit {
                $0["identifiers"] = [["type": "dns", "value": "a.example"], ["type": "dns", "value": "b.example"]]
            }
        },
        fault("an order that is invalid", .orderFailed(ACMEProblem(.caa, "CAA forbids.")), at: "/new-order") {
            $0.edit {
                $0["status"] = "invalid"
                $0["error"] = ["type": ACMEProblem.Kind.caa.rawValue, "detail": "CAA forbids."]
            }
        },
        fault("an authorization of another name", .otherIdentifiers([other]), at: "/authorization/") {
            $0.edit { $0["identifier"] = ["type": "dns", "value": "b.example"] }
        },
        fault("an authorization that is expired", .authorizationLost(name, .expired), at: "/authorization/") {
            $0.edit { $0["status"] = "expired" }
        },
        fault("an authorization that is invalid", .authorizationLost(name, .invalid), at: "/authorization/") {
            $0.edit { $0["status"] = "invalid" }
        },
        fault("no challenge", .noUsableChallenge(name, offered: []), at: "/authorization/") {
            $0.edit { $0["challenges"] = [String]() }
        },
        fault("a challenge without a token", .noUsableChallenge(name, offered: [.http01]), at: "/authorization/") {
            $0.edit { $0["challenges"] = [["type": "http-01", "url": "u", "status": "pending"]] }
        },
        fault("a token that is a path", .noUsableChallenge(name, offered: [.http01]), at: "/authorization/") {
            $0.edit {
                let token = "../../../../../../etc/passwd"
                $0["challenges"] = [["type": "http-01", "url": "u", "status": "pending", "token": token]]
            }
        },
        fault("an order that fails at last", .orderFailed(nil), at: "/order/") {
            $0.edit { if $0["status"] as? String == "valid" { $0["status"] = "invalid" } }
        },
        fault("a valid order without a certificate", .orderFailed(nil), at: "/order/") {
            $0.edit { $0["certificate"] = nil }
        },
        fault("a chain that is empty", .malformedCertificate, at: "/certificate/") { $0.body = [] },
        fault("a chain that is JSON", .malformedCertificate, at: "/certificate/") { $0.body = Array("{}".utf8) },
        fault("a chain with a private key", .malformedCertificate, at: "/certificate/") {
            let key = P256.Signing.PrivateKey().pemRepresentation
            $0.body += Array((key + "\n").utf8)
        },
        fault("a chain with a broken certificate", .malformedCertificate, at: "/certificate/") {
            $0.body += Array("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".utf8)
        },
    ]

    @Test("An invalid response is refused with its problem", arguments: faults)
    func refused(fault: Fault) async throws {
        let lab = try ServerLab()
        var client = InProcessClient(server: lab.server)
        client.change = fault.change
        let using = client
        await #expect(throws: fault.error) { try await ACMEClientOrderTests.obtain(over: using) }
    }

    @Test(
        "A certificate with another key or other names is refused",
        arguments: [
            (["a.example"], ACMEClientError.otherKey), (["b.example"], .otherKey),
        ])
    func otherCertificate(names: [String], error: ACMEClientError) async throws {
        let lab = try ServerLab()
        let other = try await lab.issuer.issue(names, for: .init(P256.Signing.PrivateKey().publicKey))
        let pem = try other.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
        let client = InProcessClient.changing(lab.server) { path, response in
            if path.hasPrefix("/certificate/") { response.body = Array(pem.utf8) }
        }
        await #expect(throws: error) { try await ACMEClientOrderTests.obtain(over: client) }
    }

    @Test(
        "A certificate for the key with fewer, more or other names is refused",
        arguments: [
            ["b.example"], ["a.example", "b.example"], ["*.a.example"], ["192.0.2.1"],
        ])
    func otherNames(names: [String]) async throws {
        let lab = try ServerLab()
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let other = try await lab.issuer.issue(names, for: key.publicKey)
        let pem = try other.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
        let client = InProcessClient.changing(lab.server) { path, response in
            if path.hasPrefix("/certificate/") { response.body = Array(pem.utf8) }
        }
        let account = try await ACMEClientOrderTests.account(over: client)
        let found = try names.map { try #require(ACMEIdentifier($0)) }
        await #expect(throws: ACMEClientError.otherIdentifiers(found)) {
            try await account.obtain([Self.name], key: key, answering: [ACMEClientOrderTests.silent])
        }
    }

    @Test("A failed challenge is reported with the server's message, and its response is removed")
    func challengeFailed() async throws {
        let lab = try ServerLab(TestValidator { _ in throw ValidationFailure(.connection, "No server answers.") })
        let log = Box<[String]>([])
        let responder = HookChallengeResponder(.dns01) { _ in
            log.change { $0.append("add") }
        } remove: { _ in
            log.change { $0.append("remove") }
        }
        let account = try await ACMEClientOrderTests.account(over: InProcessClient(server: lab.server))
        let problem = ACMEProblem(.connection, "No server answers.", status: 400)
        await #expect(throws: ACMEClientError.challengeFailed(Self.name, .dns01, problem)) {
            try await account.obtain([Self.name], key: .init(P256.Signing.PrivateKey()), answering: [responder])
        }
        #expect(log.value == ["add", "remove"])
    }

    @Test("An authorization that is deactivated during polling is reported") func authorizationLost() async throws {
        let lab = try ServerLab()
        let isAnswered = Box(false)
        let client = InProcessClient.changing(lab.server) { path, response in
            if path.hasPrefix("/challenge/") { isAnswered.value = true }
            if path.hasPrefix("/authorization/"), isAnswered.value { response.edit { $0["status"] = "deactivated" } }
        }
        await #expect(throws: ACMEClientError.authorizationLost(Self.name, .deactivated)) {
            try await ACMEClientOrderTests.obtain(over: client)
        }
    }

    struct HookFailure: Error {}

    @Test("A failed hook ends the order, and presented responses are removed") func hookFails() async throws {
        let lab = try ServerLab()
        let log = Box<[String]>([])
        let responder = HookChallengeResponder(.http01) { proof in
            log.change { $0.append("add \(proof.identifier.value)") }
            if proof.identifier.value == "b.example" { throw HookFailure() }
        } remove: { proof in
            log.change { $0.append("remove \(proof.identifier.value)") }
        }
        let account = try await ACMEClientOrderTests.account(over: InProcessClient(server: lab.server))
        await #expect(throws: HookFailure.self) {
            try await account.obtain(
                ACMEClientOrderTests.names("a.example", "b.example", "c.example"),
                key: .init(P256.Signing.PrivateKey()), answering: [responder])
        }
        #expect(log.value == ["add a.example", "add b.example", "remove a.example", "remove b.example"])
    }

    @Test("If no offered challenge has a responder, the error lists the offered ones") func noUsableChallenge()
        async throws
    {
        let lab = try ServerLab()
        let account = try await ACMEClientOrderTests.account(over: InProcessClient(server: lab.server))
        let wildcard = try ACMEClientOrderTests.names("*.a.example")
        await #expect(throws: ACMEClientError.noUsableChallenge(Self.name, offered: [.dns01])) {
            try await account.obtain(
                wildcard, key: .init(P256.Signing.PrivateKey()), answering: [ACMEClientOrderTests.silent])
        }
    }

    @Test("A response of more than 1 MiB is not read") func size() async throws {
        let lab = try ServerLab()
        let client = InProcessClient.changing(lab.server) { path, response in
            if path == "/directory" { response.body += [UInt8](repeating: 32, count: 1 << 20) }
        }
        await #expect(throws: SessionError.self) {
            try await ACMEClient(directory: ACMEClientOrderTests.directory, over: client)
        }
    }

    @Test("No error contains a key, a token or a nonce") func secrets() async throws {
        let lab = try ServerLab(TestValidator { _ in throw ValidationFailure(.connection, "No server answers.") })
        let proofs = Box<[ChallengeProof]>([])
        let responder = HookChallengeResponder(.http01) { proof in
            proofs.change { $0.append(proof) }
        } remove: { _ in
        }
        let account = try await ACMEClientOrderTests.account(over: InProcessClient(server: lab.server))
        do {
            _ = try await account.obtain([Self.name], key: .init(P256.Signing.PrivateKey()), answering: [responder])
            Issue.record("it was issued")
        } catch {
            let proof = try #require(proofs.value.first)
            #expect(!"\(error)".contains(proof.token))
            #expect(!"\(error)".contains(proof.authorization.text))
        }
    }
}
