// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The one origin of the server.
///
/// The address, not `localhost`: that name may lead to a port of IPv6 that belongs to another program.
package struct WebOrigin: Sendable, CustomStringConvertible {
    package static let address = "127.0.0.1"
    package let port: Int

    package var authority: String { "\(Self.address):\(port)" }
    package var description: String { "http://\(authority)" }
    /// Cookies are shared by all ports of a host, so that the name holds the port.
    package var cookieName: String { "countersign-\(port)" }
}
