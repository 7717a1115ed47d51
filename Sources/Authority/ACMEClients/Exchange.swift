// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
internal import Countersign
internal import EssentialFoundation
internal import HTTPTypes

/// The signed requests to an authority, each with its own nonce.
struct Exchange: Sendable {
    /// The maximum number of attempts with new nonces.
    ///
    /// A server that rejects one nonce in five rejects nine in a row once in two million times.
    private static let maximumAttemptCount = 9
    private static let mediaType = "application/jose+json"

    let client: any RequestSender
    let directory: ACMEDirectory
    private let nonces = NoncePool()

    init(client: any RequestSender, directory: ACMEDirectory) { (self.client, self.directory) = (client, directory) }

    static func get(_ url: String, over client: any RequestSender) async throws -> Reply {
        let reply = try await Reply(try await client.send(prepared(.get(url))))
        guard reply.status == .ok else {
            throw reply.problem.map { .refused($0, retryAfter: reply.seconds) } ?? reply.unexpected
        }
        return reply
    }

    /// Sends a signed request (RFC 8555 section 6.2).
    ///
    /// - Parameters:
    ///   - payload: The JSON payload; empty to request a resource.
    ///   - url: The URL of the request.
    ///   - account: The URL of the account; if `nil`, the request contains the public key.
    ///   - key: The key that signs.
    /// - Returns: The successful response.
    /// - Throws: ``ACMEClientError``, and the errors of the client and the key.
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
            // RFC 8555 section 6.5: the response that rejects a nonce contains a new one.
            guard problem.type == .badNonce, rejections < Self.maximumAttemptCount else {
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

    /// Adds the User-Agent field that RFC 8555 section 6.1 requires.
    private static func prepared(_ request: SessionRequest) -> SessionRequest {
        request.header(.userAgent, "countersign").header(.acceptLanguage, "en")
    }
}

extension Reply {
    fileprivate var seconds: Int? { retryAfter.map { Int($0.components.seconds) } }
}

/// The unused nonces from earlier responses.
private actor NoncePool {
    private var nonces: [String] = []

    func take() -> String? { nonces.popLast() }

    func add(_ nonce: String) {
        // The oldest nonces expire first.
        if nonces.count >= 16 { nonces.removeFirst() }
        nonces.append(nonce)
    }
}

/// A response of an ACME server with its complete body.
struct Reply {
    /// The maximum size of a response body, chosen for certificate chains, which are the largest responses.
    private static let maximumSize = 1 << 20

    let url: String
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let body: [UInt8]

    init(_ response: SessionResponse) async throws {
        (url, status, fields) = (response.url, response.status, response.headerFields)
        body = try await response.bytes(upTo: Self.maximumSize)
    }

    /// The problem document of a failed request.
    var problem: ACMEProblem? {
        guard status.kind == .clientError || status.kind == .serverError,
            fields[.contentType]?.lowercased().hasPrefix("application/problem+json") ?? false
        else { return nil }
        return try? JSONDecoder().decode(ACMEProblem.self, from: Data(body))
    }

    var nonce: String? { HTTPField.Name("Replay-Nonce").flatMap { fields[$0] } }

    var retryAfter: Duration? { RetryAfter(fields, now: Int(Date().timeIntervalSince1970))?.wait }

    var location: String? { fields[.location] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let value = try? JSONDecoder().decode(type, from: Data(body)) else { throw unexpected }
        return value
    }

    var unexpected: ACMEClientError { .unexpectedResponse(url: url, status: status.code) }

    /// The targets of the links with a relation (RFC 8288), in the order sent.
    func links(_ relation: String) -> [String] {
        guard let name = HTTPField.Name("Link") else { return [] }
        return fields[values: name].flatMap { Self.links(in: $0) }
            .filter { $0.relations.contains(relation) }.map(\.target)
    }

    private static func links(in value: String) -> [(target: String, relations: [String])] {
        var (links, rest) = ([(target: String, relations: [String])](), value[...])
        while links.count < 32, let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let target = String(rest[rest.index(after: start)..<end])
            rest = rest[rest.index(after: end)...]
            let parameters = rest.prefix { $0 != "<" }
            rest = rest[parameters.endIndex...]
            let relations = parameters.split(whereSeparator: { $0 == ";" || $0 == "," }).flatMap {
                parameter -> [String] in
                let parts = parameter.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel" else { return [] }
                return parts[1].split(whereSeparator: { $0 == " " || $0 == "\"" }).map(String.init)
            }
            links.append((target, relations))
        }
        return links
    }
}
