// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import ACME
public import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A response for the HTTP server to send.
public struct ServerResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields, without `Content-Length` and `Transfer-Encoding`, which the HTTP server adds.
    public var headers: HTTPFields
    /// The body; it may be empty.
    public var body: [UInt8]

    init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A resource as JSON.
    init(json value: some Encodable, status: HTTPResponse.Status = .ok, type: String = "application/json") throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(status: status, headers: [.contentType: type], body: Array(try encoder.encode(value)))
    }

    /// The same with a field more.
    func adding(_ name: HTTPField.Name, _ value: String?) -> Self {
        guard let value else { return self }
        var response = self
        response.headers.append(HTTPField(name: name, value: value))
        return response
    }

    /// The same with a link (RFC 8288).
    func linking(to url: String, _ relation: String) -> Self { adding(.link, "<\(url)>;rel=\"\(relation)\"") }
}

extension HTTPField.Name {
    static let replayNonce = parsed("Replay-Nonce")
    static let link = parsed("Link")

    private static func parsed(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is a token of RFC 9110") }
        return name
    }
}
