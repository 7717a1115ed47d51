// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers

/// The catalogue of a running lab, for its form in JSON.
public struct LabCatalogue: Encodable, Sendable {
    /// A server, and the behaviour of a correct client.
    public struct Entry: Encodable, Sendable {
        /// The name of the server, such as `expired`.
        public let name: String
        /// The part of the catalogue, a raw value of ``LabServer/Group``.
        public let group: String
        /// The URL to get; for a proxy, the proxy's URL.
        public let url: String
        /// Whether the URL is that of a proxy.
        public let isProxy: Bool
        /// The description, in one line.
        public let presents: String
        /// The behaviour of a correct client, a raw value of ``LabServer/Expectation``.
        public let expect: String
        /// The code of the error that a session of Countersign ends with; `nil` where the resource is delivered.
        public let code: String?
        /// The settings that a client needs, raw values of ``LabServer/Need``; may be empty.
        public let needs: [String]
        /// The user that the server accepts; `nil` where it asks for none.
        public let user: String?
        /// The user's password; `nil` where the server asks for none.
        public let password: String?
        /// The token that the server accepts; `nil` where it asks for none.
        public let token: String?

        /// Makes the entry of a server.
        public init(_ server: LabServer) {
            name = server.name
            group = server.group.rawValue
            url = server.url
            isProxy = server.kind.isProxy
            presents = server.presents
            expect = server.expectation.rawValue
            code = server.failureCode
            needs = LabServer.Need.allCases.filter(server.needs.contains).map(\.rawValue)
            user = server.credentials?.user
            password = server.credentials?.password
            token = server.token
        }
    }

    /// The servers, in the order of the catalogue.
    public let servers: [Entry]

    /// Makes the catalogue of servers.
    public init(servers: [LabServer]) {
        self.servers = servers.map(Entry.init)
    }
}

/// The servers of a running lab, for those of its resources that name other servers.
final class LabDirectory: Sendable {
    private let entries = NIOLockedValueBox<[LabServer]>([])
    /// The hosts of the network by which clients may call the servers.
    private let names: Set<String>

    init(names: [String] = []) { self.names = Set(names.map { $0.lowercased() }) }

    /// In the order of the catalogue, at the host that the request was sent to; empty until all servers listen.
    func servers(for request: LabRequest) -> [LabServer] {
        let servers = entries.withLockedValue { $0 }
        guard let host = host(of: request) else { return servers }
        return servers.map { $0.reached(at: host) }
    }

    func fill(with servers: [LabServer]) {
        entries.withLockedValue { $0 = servers }
    }

    /// The URL of a path on a server; `nil` where the lab has no such server.
    func url(_ kind: LabServer.Kind, _ path: String, for request: LabRequest) -> String? {
        servers(for: request).first { $0.kind == kind }.map { $0.url(path: path) }
    }

    /// The host to which a request was sent, where it is one of the network's.
    private func host(of request: LabRequest) -> String? {
        guard !names.isEmpty, let authority = request.head.authority?.lowercased() else { return nil }
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return names.contains(String(host)) ? String(host) : nil
    }
}
