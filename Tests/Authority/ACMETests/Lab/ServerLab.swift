// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import Foundation
import HTTPTypes
import Testing
import X509

/// A server in memory, with functions that send valid and invalid requests to it.
struct ServerLab: Sendable {
    static let base = "https://ca.test/acme"

    enum Signer: Sendable {
        case account(TestAccount)
        case key(AccountKey)
    }

    let server: ACMEServer
    let store: MemoryStore
    let issuer: TestIssuer
    let clock: TestClock

    init(
        _ validator: TestValidator = TestValidator(), configure: (inout ACMEServer.Configuration) -> Void = { _ in }
    ) throws {
        let clock = TestClock()
        var configuration = ACMEServer.Configuration(baseURL: Self.base)
        configuration.pollInterval = 0
        configure(&configuration)
        self.clock = clock
        store = MemoryStore()
        issuer = try TestIssuer(clock: clock)
        server = ACMEServer(configuration, store: store, issuer: issuer, validator: validator) { clock.now }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, contentType: String? = nil, body: [UInt8] = []
    ) async -> ACMEServerResponse {
        await server.respond(to: ACMEServerRequest(method: method, path: path, contentType: contentType, body: body))
    }

    func nonce() async throws -> String {
        try #require(await send(.head, "/new-nonce").headers[.nonce])
    }

    /// Sends bytes as a signed request.
    func post(body: [UInt8], to path: String) async -> ACMEServerResponse {
        await send(.post, path, contentType: "application/jose+json", body: body)
    }

    /// Signs a payload with a new nonce, and sends it.
    func post(_ payload: String, to path: String, by signer: Signer) async throws -> ACMEServerResponse {
        await post(body: try await signed(payload, for: path, by: signer), to: path)
    }

    func post(_ payload: String, to path: String, by account: TestAccount) async throws -> ACMEServerResponse {
        try await post(payload, to: path, by: .account(account))
    }

    func signed(_ payload: String, for path: String, by signer: Signer) async throws -> [UInt8] {
        let (url, nonce) = (Self.base + path, try await nonce())
        let bytes = Array(payload.utf8)
        return switch signer {
        case .account(let account):
            try JSONWebSignature.sign(bytes, as: account.url, nonce: nonce, url: url, with: account.key)
        case .key(let key): try JSONWebSignature.sign(bytes, nonce: nonce, url: url, with: key)
        }
    }

    /// Creates an account.
    func account(_ key: AccountKey? = nil) async throws -> TestAccount {
        let key = try key ?? AccountKey(.init(P256.Signing.PrivateKey()))
        let response = try await post(#"{"termsOfServiceAgreed":true}"#, to: "/new-account", by: .key(key))
        try #require(response.status == .created)
        return TestAccount(key: key, url: try #require(response.headers[.location]))
    }
}

/// An account's key and URL.
struct TestAccount: Sendable {
    let key: AccountKey
    let url: String

    /// The account URL's path below the base URL.
    var path: String { url.belowBase }
}

extension String {
    /// The part of the URL after the base URL of the lab's server.
    var belowBase: String { replacingOccurrences(of: ServerLab.base, with: "") }
}

extension HTTPField.Name {
    static var nonce: Self { named("Replay-Nonce") }
    static var link: Self { named("Link") }

    private static func named(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("it is a token of RFC 9110") }
        return name
    }
}

extension ACMEServerResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    var links: [String] { headers[values: .link] }

    /// Checks that the response is the expected problem document, in the form of RFC 8555 section 6.7.
    @discardableResult
    func expect(
        _ kind: ACMEProblem.Kind, _ code: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ACMEProblem {
        let problem = try decode(ACMEProblem.self)
        #expect(problem.type == kind, "\(text)", sourceLocation: sourceLocation)
        #expect(status.code == code, "\(text)", sourceLocation: sourceLocation)
        #expect(problem.status == code, sourceLocation: sourceLocation)
        #expect(headers[.contentType] == "application/problem+json", sourceLocation: sourceLocation)
        #expect(headers[.nonce] != nil, sourceLocation: sourceLocation)
        #expect(problem.detail?.isEmpty == false, sourceLocation: sourceLocation)
        return problem
    }
}
