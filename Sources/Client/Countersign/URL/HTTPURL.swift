// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An absolute URL of `http` or `https` (RFC 9110 section 4.2), taken apart into what a request needs.
struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    enum Scheme: String, Hashable, Sendable {
        case http
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    let scheme: Scheme
    let endpoint: Endpoint
    /// Path and query, percent-encoded: the request-target in origin-form.
    let target: String
    /// The authority, without the port where it is the scheme's own: the value of the `Host` field.
    let authority: String
    /// The URL in its canonical spelling.
    let description: String

    /// Reads a URL; a user and a password in it are left out.
    init(_ text: String) throws(SessionError) {
        self = try Self.parse(text).url
    }

    /// Reads a URL, and what stands before its host (RFC 3986 section 3.2.1).
    static func parse(_ text: String) throws(SessionError) -> (url: HTTPURL, userInfo: URLUserInfo?) {
        if let url = HTTPURL(plain: text) { return (url, nil) }
        return try parseAny(text)
    }

    /// Reads what is not ``init(plain:)``, and says why it is no URL where it is none.
    static func parseAny(_ text: String) throws(SessionError) -> (url: HTTPURL, userInfo: URLUserInfo?) {
        guard let url = URL(string: text) else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        let parsed = try HTTPURL(url, written: text)
        do {
            return (parsed, try URLUserInfo(of: url))
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .userInfo))
        }
    }

    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - endpoint: Host and port.
    ///   - target: Path and query, percent-encoded.
    init(scheme: Scheme, endpoint: Endpoint, target: String) {
        let authority = endpoint.authority(for: scheme)
        self.init(
            scheme: scheme, endpoint: endpoint, target: target, authority: authority,
            description: scheme.rawValue + "://" + authority + target)
    }

    /// Makes a URL of all its parts, which the caller has in their canonical spelling.
    init(scheme: Scheme, endpoint: Endpoint, target: String, authority: String, description: String) {
        (self.scheme, self.endpoint, self.target) = (scheme, endpoint, target)
        (self.authority, self.description) = (authority, description)
    }

    /// Takes apart what Foundation has parsed; errors quote the text.
    init(_ url: URL, written text: String) throws(SessionError) {
        guard let written = url.scheme?.lowercased() else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), text.isEmpty ? .malformed : .noScheme))
        }
        guard let scheme = Scheme(rawValue: written) else {
            if url.isHostAndPort { throw .request(.invalidURL(Redaction.unreadableURL(text), .noScheme)) }
            throw .request(.unsupportedScheme(written))
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .noHost))
        }
        let port = url.port ?? scheme.defaultPort
        guard (1...65_535).contains(port) else { throw .request(.invalidURL(Redaction.url(text), .port)) }
        let name: HostName
        do {
            name = try HostName(host)
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .hostName(error)))
        }
        let path = url.path(percentEncoded: true)
        let target = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
        self.init(scheme: scheme, endpoint: Endpoint(host: name, port: port), target: target)
    }

    /// The URL without secrets, for logs and errors.
    var redacted: String { Redaction.url(description) }
}

extension URL {
    /// Whether the text is a host and a port, such as `localhost:8443/path`, whose host RFC 3986 takes for a scheme.
    fileprivate var isHostAndPort: Bool {
        guard let colon = absoluteString.firstIndex(of: ":") else { return false }
        let port = absoluteString[colon...].dropFirst().prefix { !"/?#".contains($0) }
        return !port.isEmpty && port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Endpoint {
    func authority(for scheme: HTTPURL.Scheme) -> String {
        port == scheme.defaultPort ? hostInURL : description
    }
}

extension String {
    /// What stands after the first `#` of a URL, percent-encoded; `nil` where nothing does.
    var fragment: String? {
        // Every request asks, and nearly none has one.
        let sign = UInt8(ascii: "#")
        guard utf8.withContiguousStorageIfAvailable({ $0.contains(sign) }) ?? utf8.contains(sign) else { return nil }
        return URL(string: self)?.fragment(percentEncoded: true)
    }

    /// The text without what stands between `//` and `@`, so that an error can quote a URL.
    package var droppingUserInfo: String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        let end = self[start...].firstIndex { "/?#".contains($0) } ?? endIndex
        guard let at = self[start..<end].lastIndex(of: "@") else { return self }
        return String(self[..<start] + self[index(after: at)...])
    }

    /// The text of what is no URL without all that may be a user and a password in it, however it was mistyped.
    var hidingUserInfo: String {
        guard let at = lastIndex(of: "@") else { return self }
        return "…" + self[at...]
    }
}
