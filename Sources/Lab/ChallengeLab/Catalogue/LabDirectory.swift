// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers

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
