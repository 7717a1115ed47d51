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

/// A response of an ACME server, read whole.
struct Reply {
    /// Chains are the largest.
    private static let largest = 1 << 20

    let url: String
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let body: [UInt8]

    init(_ response: Response) async throws {
        (url, status, fields) = (response.url, response.status, response.headerFields)
        body = try await response.bytes(upTo: Self.largest)
    }

    /// What the server says of a request that it refuses.
    var problem: Problem? {
        guard status.kind == .clientError || status.kind == .serverError,
            fields[.contentType]?.lowercased().hasPrefix("application/problem+json") ?? false
        else { return nil }
        return try? JSONDecoder().decode(Problem.self, from: Data(body))
    }

    var nonce: String? { HTTPField.Name("Replay-Nonce").flatMap { fields[$0] } }

    var retryAfter: Duration? { RetryAfter(fields, now: Int(Date().timeIntervalSince1970))?.wait }

    var location: String? { fields[.location] }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let value = try? JSONDecoder().decode(type, from: Data(body)) else { throw unexpected }
        return value
    }

    var unexpected: ACMEClientError { .unexpectedResponse(url: url, status: status.code) }

    /// The targets of links with a relation (RFC 8288), in the order sent.
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
