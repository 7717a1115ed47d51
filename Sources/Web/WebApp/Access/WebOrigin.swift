// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// Where the pages are: one port, by the names that the server has.
package struct WebOrigin: Sendable, CustomStringConvertible {
    /// Not `localhost`: that name may lead to a port of IPv6 that belongs to another program.
    static let loopback = "127.0.0.1"

    package let port: Int
    private let isSecure: Bool
    /// The first one is printed.
    private let hosts: [HostName]

    /// Plain HTTP on loopback.
    init(loopbackPort port: Int) throws(HostNameError) {
        (self.port, isSecure, hosts) = (port, false, [try HostName(Self.loopback)])
    }

    /// HTTPS by the names of a certificate, of which there is one at least.
    init(securePort port: Int, hosts: [HostName]) { (self.port, isSecure, self.hosts) = (port, true, hosts) }

    package var authority: String { hosts.first.map(authority) ?? "" }

    package var description: String { scheme + authority }

    /// Cookies are shared by all ports of a host, so that the name holds the port.
    ///
    /// A browser sends a cookie with the prefix only to the host that set it, by TLS (RFC 6265bis section 4.1.3.2).
    package var cookieName: String { (isSecure ? "__Host-" : "") + "countersign-\(port)" }

    /// The field that sets the cookie.
    func cookie(_ value: String) -> String {
        "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Whether the Host field of a request names this server.
    func isNamed(by authority: String?) -> Bool { hosts.contains { self.authority($0) == authority?.lowercased() } }

    /// The Origin field of this server's own pages, to which a request is sent by one of its names.
    func origin(at authority: String?) -> String { scheme + (authority?.lowercased() ?? "") }

    private var scheme: String { isSecure ? "https://" : "http://" }

    private func authority(_ host: HostName) -> String {
        let text = host.description.contains(":") ? "[\(host)]" : host.description
        return isSecure && port == 443 ? text : "\(text):\(port)"
    }
}
