// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
