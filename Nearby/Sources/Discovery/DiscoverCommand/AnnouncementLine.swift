// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ServiceDiscovery

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A service that another program wants to announce: a JSON object on one line of standard input.
struct AnnouncementLine: Decodable {
    let name: String
    let type: String
    let port: UInt16
    let txt: [String: String?]?

    /// - Throws: ``AnnouncementProblem`` if the line is not such an object, or ``ServiceDiscoveryError``.
    static func service(_ line: String) throws -> ServiceAnnouncement {
        guard let line = try? JSONDecoder().decode(AnnouncementLine.self, from: Data(line.utf8)) else {
            throw AnnouncementProblem.malformedLine
        }
        var attributes = ServiceAttributes()
        for (key, value) in (line.txt ?? [:]).sorted(by: { $0.key < $1.key }) {
            try attributes.set(key, to: value.map { .bytes(Array($0.utf8)) } ?? .none)
        }
        return ServiceAnnouncement(
            name: line.name, type: try ServiceType(line.type), port: line.port, attributes: attributes)
    }
}
