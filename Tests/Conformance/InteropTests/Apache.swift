// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The Apache httpd of `make interop`.
struct Apache: InteropPeer {
    enum Server: String {
        case plain
        case tls
        case tls12
        case tls13
        case client12
        case client13
        case proxyBasic
        case proxyDigest
        /// Each request with a new ticket.
        case kerberos
        /// A ticket for a whole connection.
        case kerberosBound
        case kerberosTLS
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    /// How often a resource was asked for, whatever came of it.
    func requestCount(_ path: String) throws -> Int {
        let log = try InteropValues.text(of: try value("log"))
        return log.split(separator: "\n").count { $0.contains(" GET \(path) ") }
    }
}
