// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges

/// The credentials of a session, each for one origin or for the targets of one origin below a path.
///
/// ```swift
/// configuration.credentials = ["https://api.example/v1/": .token(token).sending(.immediately)]
/// ```
///
/// A key is an `http` or `https` URL. Its path is a prefix of whole segments: `/v1` includes `/v1` and `/v1/items`, and
/// not `/v10`. If several keys include a target, the longest path applies. A path with a segment that begins with a
/// dot, or that contains an encoded dot, slash or backslash, is only included in a key for the complete origin. A key
/// with a query, a fragment or a user, and a key that is not such a URL, matches no request. A key with `http` includes
/// the same host over TLS, at the same port or at 443 instead of 80, if that origin has no key.
public struct OriginCredentials: ExpressibleByDictionaryLiteral, Sendable {
    private struct Origin: Hashable {
        let scheme: HTTPURL.Scheme
        let endpoint: HostEndpoint

        init(_ url: HTTPURL) { (scheme, endpoint) = (url.scheme, url.endpoint) }

        private init(plainPort port: Int, of url: HTTPURL) {
            (scheme, endpoint) = (.http, HostEndpoint(host: url.endpoint.host, port: port))
        }

        /// Returns the origins whose credentials may be sent to a URL, its own one first.
        static func covering(_ url: HTTPURL) -> [Origin] {
            let port = url.endpoint.port
            guard url.scheme == .https else { return [Origin(url)] }
            return [Origin(url), Origin(plainPort: port, of: url)]
                + (port == 443 ? [Origin(plainPort: 80, of: url)] : [])
        }
    }

    /// The credentials of each origin, by the path of the key.
    private var credentials: [Origin: [String: Credential]] = [:]

    /// Makes a table from keys and credentials; of equal keys, the last one applies.
    public init(dictionaryLiteral elements: (String, Credential)...) {
        for (origin, credential) in elements { self[origin] = credential }
    }

    /// The credential for a key; `nil` if there is none, and for a key that matches no request.
    ///
    /// - Parameter origin: The origin, such as `https://api.example`, or a URL with a path.
    public subscript(origin: String) -> Credential? {
        get {
            guard let url = Self.url(of: origin) else { return nil }
            return credentials[Origin(url)]?[url.target]
        }
        set {
            guard let url = Self.url(of: origin) else { return }
            credentials[Origin(url), default: [:]][url.target] = newValue
        }
    }

    private static func url(of key: String) -> HTTPURL? {
        guard !key.contains("?"), !key.contains("#"), let parsed = try? HTTPURL.parse(key), parsed.userInfo == nil
        else { return nil }
        return parsed.url
    }

    /// Returns the credential for the longest path that includes the target of a URL; `nil` if there is none.
    func credential(for url: HTTPURL) -> Credential? {
        guard !credentials.isEmpty,
            let paths = Origin.covering(url).lazy.compactMap({ credentials[$0] }).first(where: { !$0.isEmpty })
        else { return nil }
        return paths.filter { $0.key == "/" || SpaceScope(prefix: $0.key).contains(url.target) }
            .max { $0.key.utf8.count < $1.key.utf8.count }?.value
    }
}
