// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers

/// The catalogue of a running lab, for encoding as JSON.
public struct LabCatalogue: Encodable, Sendable {
    /// A server and the behaviour of a correct client.
    public struct Entry: Encodable, Sendable {
        /// The name of the server, such as `expired`.
        public let name: String
        /// The part of the catalogue, a raw value of ``LabServer/Group``.
        public let group: String
        /// The URL to request; for a proxy, the proxy's URL.
        public let url: String
        /// Whether the URL is a proxy's.
        public let isProxy: Bool
        /// The one-line description of the server.
        public let presents: String
        /// The behaviour of a correct client, a raw value of ``LabServer/Expectation``.
        public let expect: String
        /// The error code of a Countersign session; `nil` if the session gets the resource.
        public let code: String?
        /// The settings that a client needs, raw values of ``LabServer/Need``; empty if there are none.
        public let needs: [String]
        /// The user name that the server accepts; `nil` if it requests none.
        public let user: String?
        /// The user's password; `nil` if the server requests none.
        public let password: String?
        /// The token that the server accepts; `nil` if it requests none.
        public let token: String?

        /// Creates the entry of a server.
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

    /// Creates a catalogue of servers.
    public init(servers: [LabServer]) {
        self.servers = servers.map(Entry.init)
    }
}

/// The servers of a running lab, for resources that link to other servers.
final class LabDirectory: Sendable {
    private let entries = NIOLockedValueBox<[LabServer]>([])
    /// The host names of the network by which clients may address the servers.
    private let names: Set<String>

    init(names: [String] = []) { self.names = Set(names.map { $0.lowercased() }) }

    /// Returns the servers in catalogue order, with the host to which the request was sent; empty until all
    /// servers listen.
    func servers(for request: LabRequest) -> [LabServer] {
        let servers = entries.withLockedValue { $0 }
        guard let host = host(of: request) else { return servers }
        return servers.map { $0.reached(at: host) }
    }

    func fill(with servers: [LabServer]) {
        entries.withLockedValue { $0 = servers }
    }

    /// Returns the URL of a path on a server; `nil` if the lab does not have the server.
    func url(_ kind: LabServer.Kind, _ path: String, for request: LabRequest) -> String? {
        servers(for: request).first { $0.kind == kind }.map { $0.url(path: path) }
    }

    /// Returns the host to which a request was sent if it is a name of the network.
    private func host(of request: LabRequest) -> String? {
        guard !names.isEmpty, let authority = request.head.authority?.lowercased() else { return nil }
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return names.contains(String(host)) ? String(host) : nil
    }
}
