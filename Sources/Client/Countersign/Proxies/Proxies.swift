// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A choice of the proxy for each request by its URL.
///
/// A redirect is a new choice.
public struct Proxies: Hashable, Sendable {
    private(set) var http: Proxy?
    private(set) var https: Proxy?
    let exceptions: ProxyExceptions

    init(http: Proxy?, https: Proxy?, exceptions: ProxyExceptions = ProxyExceptions()) {
        (self.http, self.https, self.exceptions) = (http, https, exceptions)
    }

    /// No proxy: every request goes to its origin directly.
    public static let none = Self(http: nil, https: nil)

    /// Every request goes through one proxy.
    public static func every(_ proxy: Proxy) -> Self {
        Self(http: proxy, https: proxy)
    }

    /// Every request goes through one proxy, except requests to some hosts.
    ///
    /// - Parameters:
    ///   - proxy: The proxy of all other requests.
    ///   - exceptions: The hosts that are reached directly, as ``environment(_:)`` reads them from `no_proxy`.
    /// - Returns: The choice for every URL.
    /// - Throws: ``SessionError`` of ``ProxyError/invalidException(_:)``.
    public static func every(_ proxy: Proxy, except exceptions: String) throws(SessionError) -> Self {
        Self(http: proxy, https: proxy, exceptions: try ProxyExceptions(exceptions))
    }

    /// Restricts every proxy to some authentication methods, see ``Proxy/methods``.
    ///
    /// - Parameter methods: The methods to allow. A method that was not allowed before stays forbidden.
    public mutating func allow(_ methods: AllowedMethods) {
        http = http?.allowing(methods)
        https = https?.allowing(methods)
    }

    /// The one for a URL; `nil` where its origin is reached directly.
    func proxy(for url: HTTPURL) -> Proxy? {
        exceptions.cover(url.endpoint) ? nil : url.scheme == .http ? http : https
    }

    /// All that may be chosen, each once.
    var all: [Proxy] {
        [http, http == https ? nil : https].compactMap(\.self)
    }

    /// The one that every URL goes through, if there is one.
    var only: Proxy? { http == https && exceptions.isEmpty ? http : nil }
}

extension Proxy {
    fileprivate func allowing(_ methods: AllowedMethods) -> Proxy {
        var proxy = self
        proxy.methods = proxy.methods.intersection(methods)
        return proxy
    }
}
