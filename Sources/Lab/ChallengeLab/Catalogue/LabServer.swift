// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Challenges

/// One server of the lab: its URL, its challenge or fault, and the behaviour of a correct client.
public struct LabServer: Sendable {
    /// A user and a password that the server accepts; they are no secret.
    public typealias Credentials = LabCredentials

    /// The kind of the server: its challenge or fault.
    public let kind: Kind
    /// The port on loopback at which the server listens.
    public let port: Int
    /// By which host the servers of `localhost` and of 127.0.0.1 are reached instead; `nil` where it is none.
    let networkHost: String?

    init(kind: Kind, port: Int, networkHost: String? = nil) {
        (self.kind, self.port, self.networkHost) = (kind, port, networkHost)
    }

    /// The name of the server, such as `good-https`.
    public var name: String { kind.rawValue }

    /// The part of the catalogue to which the server belongs.
    public var group: Group { kind.row.group }

    /// The host in the server's URL: `localhost`, an address of loopback, or a name below `localhost` (RFC 6761 section 6.3); another
    /// address where the lab listens only on that one.
    public var host: String {
        let host = kind.row.host
        // The proxies listen on loopback wherever the other servers do.
        guard let networkHost, !kind.isProxy, !host.hasSuffix(".localhost") else { return host }
        return networkHost
    }

    /// The URL to get; for a proxy, the proxy's URL.
    public var url: String { url(path: path) }

    /// The path of what to get; empty for a proxy.
    package var path: String { kind.isProxy ? "" : kind.row.path }

    /// Whether the URL begins with `https`.
    package var isSecure: Bool { kind.row.scheme == .https }

    func url(path: String) -> String {
        "\(kind.row.scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }

    /// The same server as clients at a host of the network reach it.
    func reached(at host: String) -> LabServer { LabServer(kind: kind, port: port, networkHost: host) }

    /// The description of the server, in one line.
    public var presents: String { kind.row.presents }

    /// The behaviour of a correct client.
    public var expectation: Expectation { kind.row.expectation }

    /// The code of the error that a session of Countersign ends with; `nil` where the resource is delivered.
    public var failureCode: String? { kind.row.failureCode }

    /// The settings that a client needs to behave as expected.
    public var needs: Set<Need> { kind.row.needs }

    /// The user and the password that the server accepts; `nil` where it asks for none, or refuses all.
    public var credentials: Credentials? { needs.contains(.password) ? .lab : nil }

    /// The token that the server accepts; `nil` where it asks for none.
    public var token: String? { needs.contains(.token) ? LabCredentials.token : nil }

    /// The body that a client gets that does what is expected, without its content coding.
    package var body: [UInt8] { kind.row.body }
}

extension LabServer.Kind {
    /// Whether it is a proxy rather than an origin.
    public var isProxy: Bool { row.role == .proxy }

    /// The method of the challenge that a client meets; `nil` where it meets none.
    package var method: AuthenticationMethod? { row.method }
}
