// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The Apache httpd that `make interop` starts.
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
        /// A server that requires a new ticket for each request.
        case kerberos
        /// A server that requires one ticket for each connection.
        case kerberosBound
        case kerberosTLS
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    /// Returns the number of requests for a path, with any status.
    func requestCount(_ path: String) throws -> Int {
        let log = try InteropValues.text(of: try value("log"))
        return log.split(separator: "\n").count { $0.contains(" GET \(path) ") }
    }
}
