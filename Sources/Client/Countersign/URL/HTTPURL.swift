// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import EssentialFoundation

/// An absolute `http` or `https` URL (RFC 9110 section 4.2), parsed into the parts that a request needs.
struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
    enum Scheme: String, Hashable, Sendable {
        case http
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    let scheme: Scheme
    let endpoint: HostEndpoint
    /// The path and the query, percent-encoded: the request target in origin-form.
    let target: String
    /// The authority, without the scheme's default port: the value of the `Host` field.
    let authority: String
    /// The URL in its canonical spelling.
    let description: String

    /// Parses a URL, and drops its user information.
    init(_ text: String) throws(SessionError) {
        self = try Self.parse(text).url
    }

    /// Parses a URL and its user information (RFC 3986 section 3.2.1).
    static func parse(_ text: String) throws(SessionError) -> (url: HTTPURL, userInfo: URLUserInfo?) {
        if let url = HTTPURL(plain: text) { return (url, nil) }
        return try parseAny(text)
    }

    /// Parses any URL that ``init(plain:)`` does not accept; throws the defect of an invalid URL.
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

    /// Makes a URL.
    ///
    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - endpoint: The host and the port.
    ///   - target: The path and the query, percent-encoded.
    init(scheme: Scheme, endpoint: HostEndpoint, target: String) {
        let authority = endpoint.authority(for: scheme)
        self.init(
            scheme: scheme, endpoint: endpoint, target: target, authority: authority,
            description: scheme.rawValue + "://" + authority + target)
    }

    /// Makes a URL from all its parts, which must be in their canonical spelling.
    init(scheme: Scheme, endpoint: HostEndpoint, target: String, authority: String, description: String) {
        (self.scheme, self.endpoint, self.target) = (scheme, endpoint, target)
        (self.authority, self.description) = (authority, description)
    }

    /// Converts a URL that Foundation has parsed; errors quote the text.
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
            name = try HostName(international: host)
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .hostName(error)))
        }
        let path = url.path(percentEncoded: true)
        let target = (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
        self.init(scheme: scheme, endpoint: HostEndpoint(host: name, port: port), target: target)
    }

    /// The URL without secrets, for logs and errors.
    var redacted: String { Redaction.url(description) }
}

extension URL {
    /// Whether the text is a host and a port, such as `localhost:8443/path`, whose host RFC 3986 parses as a scheme.
    fileprivate var isHostAndPort: Bool {
        guard let colon = absoluteString.firstIndex(of: ":") else { return false }
        let port = absoluteString[colon...].dropFirst().prefix { !"/?#".contains($0) }
        return !port.isEmpty && port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension HostEndpoint {
    func authority(for scheme: HTTPURL.Scheme) -> String {
        port == scheme.defaultPort ? hostInURL : description
    }
}

extension HTTPURL {
    /// Parses a URL in the most common form: a scheme in lower case, no user information, and no character that needs
    /// normalization.
    ///
    /// The URL of every request is parsed, and the parser for all URLs takes ten times as long.
    ///
    /// - Returns: `nil` for every other text, which may nevertheless be a URL.
    init?(plain text: String) {
        guard let scheme: Scheme = text.hasPrefix("https://") ? .https : text.hasPrefix("http://") ? .http : nil,
            let url = text.utf8.withContiguousStorageIfAvailable({ Self(plain: $0, scheme, text) }) ?? nil
        else { return nil }
        self = url
    }

    private init?(plain bytes: UnsafeBufferPointer<UInt8>, _ scheme: Scheme, _ text: String) {
        let authority = bytes.dropFirst(scheme.rawValue.utf8.count + 3)
        let name = authority.prefix(while: \.isInHostName)
        let rest = authority[name.endIndex...]
        let written = rest.first == .colon ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        let port = written.isEmpty ? scheme.defaultPort : Int(String(decoding: written, as: UTF8.self))
        let target = written.isEmpty ? rest : rest[written.endIndex...]
        guard let port, (1...65_535).contains(port), Self.isPlain(target),
            let host = try? HostName(String(decoding: name, as: UTF8.self))
        else { return nil }
        let path = target.first == .slash ? "" : "/"
        let isCanonical =
            path.isEmpty
            && (rest.startIndex == target.startIndex || port != scheme.defaultPort && written.first != .zero)
            && name.elementsEqual(host.description.utf8)
        let endpoint = HostEndpoint(host: host, port: port)
        guard isCanonical else {
            self.init(scheme: scheme, endpoint: endpoint, target: path + String(decoding: target, as: UTF8.self))
            return
        }
        self.init(
            scheme: scheme, endpoint: endpoint, target: String(decoding: target, as: UTF8.self),
            authority: String(decoding: authority[..<target.startIndex], as: UTF8.self), description: text)
    }

    /// Returns whether the bytes are a path and a query without a fragment (RFC 3986 sections 3.3 and 3.4).
    private static func isPlain(_ target: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = target.first else { return true }
        guard first == .slash || first == .questionMark else { return false }
        return target.allSatisfy(\.isInTarget)
    }
}

extension UInt8 {
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let questionMark = UInt8(ascii: "?")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let zero = UInt8(ascii: "0")

    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }

    private var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit
        }
    }

    fileprivate var isInHostName: Bool {
        isLetterOrDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// Whether the byte may occur in a target: `pchar` of RFC 3986 section 3.3 without percent-encoding, or a delimiter
    /// of path and query.
    fileprivate var isInTarget: Bool {
        isLetterOrDigit || "/?-._~!$&'()*+,;=:@".utf8.contains(self)
    }
}

extension HostEndpoint {
    /// Makes the endpoint of an `http` or `https` URL; the port defaults to 80 or 443.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` or ``RequestError/unsupportedScheme(_:)``.
    public init(of url: String) throws(SessionError) {
        self = try HTTPURL(url).endpoint
    }
}
