// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import Countersign
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Signs requests and sends them, each with a nonce.
struct Exchange: Sendable {
    /// A server that rejects one nonce in five rejects so many in a row once in two and a half million times.
    private static let mostNonces = 9
    private static let mediaType = "application/jose+json"

    let client: any Client
    let directory: Directory
    private let nonces = NoncePool()

    init(client: any Client, directory: Directory) { (self.client, self.directory) = (client, directory) }

    static func get(_ url: String, over client: any Client) async throws -> Reply {
        let reply = try await Reply(try await client.send(prepared(.get(url))))
        guard reply.status == .ok else {
            throw reply.problem.map { .refused($0, retryAfter: reply.seconds) } ?? reply.unexpected
        }
        return reply
    }

    /// Sends a signed request (RFC 8555 section 6.2).
    ///
    /// - Parameters:
    ///   - payload: JSON; empty to ask for a resource.
    ///   - url: Where it is sent.
    ///   - account: The URL of the account; `nil` puts the key into the request.
    ///   - key: The key that signs.
    /// - Returns: The response, which is a success.
    /// - Throws: ``ACMEClientError``, and what the client and the key throw.
    func post(_ payload: [UInt8], to url: String, as account: String?, with key: AccountKey) async throws -> Reply {
        var rejections = 0
        while true {
            let nonce = try await nonce()
            let body = try JSONWebSignature.sign(payload, as: account, nonce: nonce, url: url, with: key)
            let request = Self.prepared(.post(url).body(.bytes(body).type(Self.mediaType)))
            let reply = try await Reply(try await client.send(request))
            if let fresh = reply.nonce { await nonces.add(fresh) }
            if reply.status.kind == .successful { return reply }
            guard let problem = reply.problem else { throw reply.unexpected }
            rejections += 1
            // RFC 8555 section 6.5: the response to a rejected nonce brings another.
            guard problem.type == .badNonce, rejections < Self.mostNonces else {
                throw ACMEClientError.refused(problem, retryAfter: reply.seconds)
            }
        }
    }

    private func nonce() async throws -> String {
        if let nonce = await nonces.take() { return nonce }
        let reply = try await Reply(try await client.send(Self.prepared(.head(directory.newNonce))))
        guard reply.status.kind == .successful, let nonce = reply.nonce else { throw reply.unexpected }
        return nonce
    }

    /// RFC 8555 section 6.1 wants a User-Agent.
    private static func prepared(_ request: Request) -> Request {
        request.header(.userAgent, "countersign").header(.acceptLanguage, "en")
    }
}

extension Reply {
    fileprivate var seconds: Int? { retryAfter.map { Int($0.components.seconds) } }
}

/// The nonces that came with responses and were not used.
private actor NoncePool {
    private var nonces: [String] = []

    func take() -> String? { nonces.popLast() }

    func add(_ nonce: String) {
        // The oldest are the first to become invalid.
        if nonces.count >= 16 { nonces.removeFirst() }
        nonces.append(nonce)
    }
}
