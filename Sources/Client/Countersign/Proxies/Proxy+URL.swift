// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Proxy {
    /// Reads `http://host:port`, `https://host:port`, or `socks5://host` and `socks5h://host`, which are the same here.
    ///
    /// A proxy of HTTP needs a port, because no default is common to such proxies; the default of SOCKS is 1080 (RFC 1928 section 3). A
    /// user and a password before the host, percent-encoded, become the ``credential``.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(_ text: String) throws(SessionError) {
        guard let url = URL(string: text) else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        try self.init(url)
    }

    /// Reads a URL of the same forms as ``init(_:)-(String)``.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(_ url: URL) throws(SessionError) {
        let text = url.absoluteString
        guard let scheme = url.scheme?.lowercased() else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        guard let kind = Kind(scheme: scheme) else { throw .request(.unsupportedScheme(scheme)) }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .noHost))
        }
        // A slash, a question mark or a number sign in the password would make its beginning a host and a port.
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil, url.fragment == nil else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        guard let port = url.port ?? kind.defaultPort, (1...65_535).contains(port) else {
            throw .request(.invalidURL(Redaction.url(text), .port))
        }
        do {
            self.init(endpoint: Endpoint(host: try HostName(host), port: port), kind: kind)
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .hostName(error)))
        }
        do {
            credential = try URLUserInfo(of: url)?.credential
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .userInfo))
        }
    }
}

extension Proxy.Kind {
    fileprivate init?(scheme: String) {
        // Others tell by the scheme who resolves names; here it is always the proxy.
        self.init(rawValue: scheme == "socks5h" ? "socks5" : scheme)
    }

    fileprivate var defaultPort: Int? { self == .socks5 ? 1080 : nil }
}
