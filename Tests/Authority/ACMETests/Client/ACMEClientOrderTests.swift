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
import Secrets
import SwiftASN1
import Testing
import X509

@Suite struct ACMEClientOrderTests {
    static let directory = ServerLab.base + "/directory"

    static var key: AccountKey { get throws { try AccountKey(.init(P256.Signing.PrivateKey())) } }

    static func account(over client: InProcessClient, timeout: Duration = .seconds(30)) async throws -> ACMEAccount {
        var client = try await ACMEClient(directory: directory, over: client)
        client.timeout = timeout
        return try await client.register(key)
    }

    static let silent = HookChallengeResponder(.http01, add: { _ in }, remove: { _ in })

    /// Obtains a certificate for `a.example` with the default settings.
    @discardableResult
    static func obtain(over client: InProcessClient, timeout: Duration = .seconds(30)) async throws -> IssuedChain {
        try await account(over: client, timeout: timeout)
            .obtain(names("a.example"), key: .init(P256.Signing.PrivateKey()), answering: [silent])
    }

    static func names(_ names: String...) throws -> [ACMEIdentifier] {
        try names.map { try #require(ACMEIdentifier($0)) }
    }

    @Test("Hooks present and remove the responses of an order") func order() async throws {
        let zone = Box<[String: String]>([:])
        let log = Box<[String]>([])
        let validator = TestValidator { task in
            let place = KeyAuthorization.recordName(for: task.identifier.value)
            guard zone.value[place + task.token] == task.authorization.recordValue else {
                throw ValidationFailure(.unauthorized, "It is not there.")
            }
        }
        let responder = HookChallengeResponder(.dns01) { proof in
            let place = KeyAuthorization.recordName(for: proof.identifier.value)
            zone.change { $0[place + proof.token] = proof.authorization.recordValue }
            log.change { $0.append("add \(proof.identifier.value)") }
        } remove: { proof in
            let place = KeyAuthorization.recordName(for: proof.identifier.value)
            zone.change { $0[place + proof.token] = nil }
            log.change { $0.append("remove \(proof.identifier.value)") }
        }
        let lab = try ServerLab(validator) { $0.profiles = ["short": "A week"] }
        let account = try await Self.account(over: InProcessClient(server: lab.server))
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let issued = try await account.obtain(
            Self.names("a.example", "*.a.example"), key: key, answering: [responder], profile: "short")
        #expect(issued.certificate.publicKey == key.publicKey)
        #expect(issued.chain.count == 2)
        #expect(issued.chain[0] == issued.certificate)
        #expect(issued.alternates.isEmpty)
        #expect(await lab.issuer.profiles == ["short"])
        #expect(zone.value.isEmpty)
        #expect(log.value == ["add a.example", "add a.example", "remove a.example", "remove a.example"])
        let next = try await account.obtain(
            Self.names("a.example"), key: key, answering: [responder],
            replacing: CertificateIdentifier(issued.certificate))
        #expect(await lab.issuer.requests.count == 2)
        await Self.refuses(.alreadyReplaced) {
            _ = try await account.obtain(
                Self.names("a.example"), key: key, answering: [responder],
                replacing: CertificateIdentifier(issued.certificate))
        }
        #expect(next.certificate != issued.certificate)
    }

    @Test("Every kind of key can be an account key and a certificate key", arguments: ACMESignatureTests.Kind.allCases)
    func keys(kind: ACMESignatureTests.Kind) async throws {
        let lab = try ServerLab()
        let client = try await ACMEClient(directory: Self.directory, over: InProcessClient(server: lab.server))
        let account = try await client.register(AccountKey(kind.key()))
        let key = try kind.key()
        let issued = try await account.obtain(Self.names("a.example"), key: key, answering: [Self.silent])
        #expect(issued.certificate.publicKey == key.publicKey)
    }

    @Test("An account is registered, found, read, changed and deactivated") func account() async throws {
        let lab = try ServerLab { $0.termsOfService = "https://ca.test/terms" }
        let client = try await ACMEClient(directory: Self.directory, over: InProcessClient(server: lab.server))
        let key = try Self.key
        await #expect(throws: ACMEClientError.termsNotAgreed(url: "https://ca.test/terms")) {
            try await client.register(key)
        }
        let account = try await client.register(key, contact: ["mailto:a@example.org"], agreesToTerms: true)
        #expect(try await client.existingAccount(key).url == account.url)
        #expect(try await account.read().contact == ["mailto:a@example.org"])
        try await account.update(contact: [])
        #expect(try await account.read().contact == nil)
        let new = try Self.key
        let changed = try await account.changeKey(to: new)
        #expect(try await changed.read().status == .valid)
        #expect(try await client.existingAccount(new).url == account.url)
        try await changed.deactivate()
        await Self.refuses(.unauthorized) { _ = try await changed.read() }
        await Self.refuses(.accountDoesNotExist) { _ = try await client.existingAccount(key) }
    }

    /// Expects a call to fail with a problem of the given kind.
    static func refuses(
        _ kind: ACMEProblem.Kind, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @Sendable () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("nothing was refused", sourceLocation: sourceLocation)
        } catch ACMEClientError.refused(let problem, _) {
            #expect(problem.type == kind, sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    @Test("An account is bound to an external account") func external() async throws {
        let lab = try ACMEServerExternalAccountTests.lab()
        let client = try await ACMEClient(directory: Self.directory, over: InProcessClient(server: lab.server))
        let key = try Self.key
        await Self.refuses(.externalAccountRequired) { _ = try await client.register(key) }
        let wrong = ExternalAccount(identifier: "kid-1", key: Secret("another"))
        await Self.refuses(.unauthorized) { _ = try await client.register(key, external: wrong) }
        let right = ExternalAccount(identifier: "kid-1", key: ACMEServerExternalAccountTests.secret)
        #expect(try await client.register(key, external: right).read().status == .valid)
    }

    @Test("A certificate is revoked by its account, or by its own key") func revoke() async throws {
        let lab = try ServerLab()
        let client = try await ACMEClient(directory: Self.directory, over: InProcessClient(server: lab.server))
        let account = try await client.register(Self.key)
        let key = P256.Signing.PrivateKey()
        let first = try await account.obtain(Self.names("a.example"), key: .init(key), answering: [Self.silent])
        try await account.revoke(first.certificate, reason: .superseded)
        await Self.refuses(.alreadyRevoked) { try await account.revoke(first.certificate) }
        let second = try await account.obtain(Self.names("a.example"), key: .init(key), answering: [Self.silent])
        let other = try Self.key
        await Self.refuses(.unauthorized) { try await client.revoke(second.certificate, with: other) }
        try await client.revoke(second.certificate, with: AccountKey(.init(key)), reason: .keyCompromise)
        #expect(
            await lab.issuer.revocations == [
                first.certificate.serialNumber: .superseded, second.certificate.serialNumber: .keyCompromise,
            ])
    }

    @Test("At most eight alternate chains of the certificate are fetched") func alternates() async throws {
        let lab = try ServerLab()
        let chain = Box<[UInt8]>([])
        let fetches = Box(0)
        let client = InProcessClient(server: lab.server) { path, request in
            guard path.hasPrefix("/alternate/") else { return nil }
            fetches.change { $0 += 1 }
            let pem = String(decoding: chain.value, as: UTF8.self)
            return try SessionResponse(to: request, type: "application/pem-certificate-chain", text: pem)
        } change: { path, response in
            guard path.hasPrefix("/certificate/") else { return }
            chain.value = response.body
            for index in 0..<10 {
                let url = "\(ServerLab.base)/alternate/\(index)"
                response.headers.append(.init(name: .link, value: "<\(url)>; title=\"a, b\"; rel=\"alternate\""))
            }
        }
        let issued = try await Self.obtain(over: client)
        #expect(issued.alternates.count == 8)
        #expect(issued.alternates.allSatisfy { $0 == issued.chain })
        #expect(fetches.value == 8)
    }

    @Test("An alternate chain for another key is refused") func otherAlternate() async throws {
        let lab = try ServerLab()
        let other = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))
        let pem = try other.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
        let client = InProcessClient(server: lab.server) { path, request in
            guard path.hasPrefix("/alternate/") else { return nil }
            return try SessionResponse(to: request, type: "application/pem-certificate-chain", text: pem)
        } change: { path, response in
            guard path.hasPrefix("/certificate/") else { return }
            let link = "<\(ServerLab.base)/alternate/1>;rel=alternate"
            response.headers.append(.init(name: .link, value: link))
        }
        await #expect(throws: ACMEClientError.otherKey) { try await Self.obtain(over: client) }
    }
}

@Suite struct ACMEClientRenewalTests {
    @Test("The renewal window and the polling interval are read") func window() async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        let client = try await ACMEClient(
            directory: ACMEClientOrderTests.directory, over: InProcessClient(server: lab.server))
        let (info, wait) = try await client.renewalInfo(of: try #require(CertificateIdentifier(leaf)))
        #expect(info == RenewalInfo(validFrom: leaf.notValidBefore, to: leaf.notValidAfter))
        #expect(wait == .seconds(21_600))
    }

    @Test(
        "The polling interval is a minute to a day, and six hours without Retry-After",
        arguments: [
            (nil, 21_600), ("0", 60), ("59", 60), ("3600", 3_600), ("86401", 86_400), ("99999999999", 86_400),
        ])
    func retryAfter(field: String?, seconds: Int) async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        let client = InProcessClient.changing(lab.server) { path, response in
            if path.hasPrefix("/renewal-info/") { response.headers[.retryAfter] = field }
        }
        let acme = try await ACMEClient(directory: ACMEClientOrderTests.directory, over: client)
        #expect(
            try await acme.renewalInfo(of: try #require(CertificateIdentifier(leaf))).askAgainAfter == .seconds(seconds)
        )
    }

    @Test("An unknown certificate and an authority without renewal information have different results") func none()
        async throws
    {
        let lab = try ServerLab()
        let identifier = try #require(CertificateIdentifier("aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE"))
        let client = try await ACMEClient(
            directory: ACMEClientOrderTests.directory, over: InProcessClient(server: lab.server))
        await ACMEClientOrderTests.refuses(.malformed) { _ = try await client.renewalInfo(of: identifier) }
        let without = InProcessClient.changing(lab.server) { path, response in
            if path == "/directory" { response.edit { $0["renewalInfo"] = nil } }
        }
        let other = try await ACMEClient(directory: ACMEClientOrderTests.directory, over: without)
        await #expect(throws: ACMEClientError.notOffered(.renewalInfo)) {
            _ = try await other.renewalInfo(of: identifier)
        }
    }

    @Test(
        "A window that ends before it begins is ignored (RFC 9773 section 4.2)",
        arguments: [
            "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z",
        ])
    func emptyWindow(start: String) async throws {
        let lab = try ServerLab()
        let leaf = try await lab.issuer.issue(["a.example"], for: .init(P256.Signing.PrivateKey().publicKey))[0]
        let identifier = try #require(CertificateIdentifier(leaf))
        let client = InProcessClient.changing(lab.server) { path, response in
            guard path.hasPrefix("/renewal-info/") else { return }
            response.edit { $0["suggestedWindow"] = ["start": start, "end": "2026-01-02T00:00:00Z"] }
        }
        let acme = try await ACMEClient(directory: ACMEClientOrderTests.directory, over: client)
        let url = "\(ServerLab.base)/renewal-info/\(identifier)"
        await #expect(throws: ACMEClientError.unexpectedResponse(url: url, status: 200)) {
            _ = try await acme.renewalInfo(of: identifier)
        }
    }
}
