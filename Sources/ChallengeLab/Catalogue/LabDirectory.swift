// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// The servers of a running lab, for those of its resources that name other servers.
final class LabDirectory: Sendable {
    private let entries = NIOLockedValueBox<[LabServer]>([])

    /// In the order of the catalogue; empty until all servers listen.
    var servers: [LabServer] { entries.withLockedValue { $0 } }

    func fill(with servers: [LabServer]) {
        entries.withLockedValue { $0 = servers }
    }

    /// The URL of a path on a server; `nil` where the lab has no such server.
    func url(_ kind: LabServer.Kind, _ path: String) -> String? {
        servers.first { $0.kind == kind }.map { "\(kind.row.scheme.rawValue)://\($0.host):\($0.port)\(path)" }
    }
}
