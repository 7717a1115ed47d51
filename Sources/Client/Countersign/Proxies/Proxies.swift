// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import EssentialFoundation

/// The selection of a proxy for each request by its URL.
///
/// After a redirect, the proxy is selected again.
public struct Proxies: Hashable, Sendable {
    private(set) var http: Proxy?
    private(set) var https: Proxy?
    let exceptions: ProxyExceptions

    init(http: Proxy?, https: Proxy?, exceptions: ProxyExceptions = ProxyExceptions()) {
        (self.http, self.https, self.exceptions) = (http, https, exceptions)
    }

    /// No proxy: every request is sent directly to its origin.
    public static let none = Self(http: nil, https: nil)

    /// Returns a selection that uses one proxy for every request.
    public static func every(_ proxy: Proxy) -> Self {
        Self(http: proxy, https: proxy)
    }

    /// Returns a selection that uses one proxy for every request, except requests to some hosts.
    ///
    /// - Parameters:
    ///   - proxy: The proxy of all other requests.
    ///   - exceptions: The hosts that are reached directly, in the format of `no_proxy` in ``environment(_:)``.
    /// - Returns: The selection for all URLs.
    /// - Throws: ``SessionError`` of ``ProxyError/invalidException(_:)``.
    public static func every(_ proxy: Proxy, except exceptions: String) throws(SessionError) -> Self {
        Self(http: proxy, https: proxy, exceptions: try ProxyExceptions(exceptions))
    }

    /// Restricts every proxy to some authentication methods; see ``Proxy/methods``.
    ///
    /// - Parameter methods: The methods to allow. A method that was not allowed before stays forbidden.
    public mutating func allow(_ methods: AllowedMethods) {
        http = http?.allowing(methods)
        https = https?.allowing(methods)
    }

    /// Returns the proxy for a URL; `nil` if its origin is reached directly.
    func proxy(for url: HTTPURL) -> Proxy? {
        exceptions.cover(url.endpoint) ? nil : url.scheme == .http ? http : https
    }

    /// All proxies that can be selected, without duplicates.
    var all: [Proxy] {
        [http, http == https ? nil : https].compactMap(\.self)
    }

    /// The proxy for every URL, if there is only one.
    var only: Proxy? { http == https && exceptions.isEmpty ? http : nil }
}

extension Proxy {
    fileprivate func allowing(_ methods: AllowedMethods) -> Proxy {
        var proxy = self
        proxy.methods = proxy.methods.intersection(methods)
        return proxy
    }
}

extension Proxies {
    /// Reads the proxies from environment variables, as most programs do.
    ///
    /// `http_proxy` applies to `http` URLs, `https_proxy` or `HTTPS_PROXY` to `https` URLs, and `all_proxy` or
    /// `ALL_PROXY` to schemes without a variable. The lower case takes precedence, and an empty variable counts as not
    /// set. `HTTP_PROXY` is not read: in a CGI program it contains the client's `Proxy` header field (CVE-2016-5385). A
    /// proxy is written as for ``Proxy/init(_:)-(String)``.
    ///
    /// `no_proxy` or `NO_PROXY` lists the directly reached hosts, separated by commas or spaces: a name matches itself
    /// and all names below it, with or without a leading dot; an address or an address block such as `10.0.0.0/8`
    /// matches URLs whose host is an address; `*` matches all hosts. A port after a colon restricts an entry to that
    /// port. `localhost`, the names below it and loopback addresses are always reached directly, as by Go and browsers:
    /// for the proxy, they would be the proxy's own machine. ``every(_:)`` has no such exception.
    ///
    /// - Parameter variables: The values of the variables by their names.
    /// - Returns: The proxies; ``none`` if no variable is set.
    /// - Throws: ``SessionError`` of ``ProxyError/invalidVariable(_:_:)``.
    public static func environment(_ variables: [String: String]) throws(SessionError) -> Self {
        let every = try proxy(["all_proxy", "ALL_PROXY"], in: variables)
        let http = try proxy(["http_proxy"], in: variables) ?? every
        let https = try proxy(["https_proxy", "HTTPS_PROXY"], in: variables) ?? every
        return Self(
            http: http, https: https,
            exceptions: try exceptions(
                ["no_proxy", "NO_PROXY"], in: variables, and: http == nil && https == nil ? "" : loopback))
    }

    /// Reads the proxies from the environment variables of this process, as ``environment(_:)`` does.
    ///
    /// - Throws: ``SessionError`` of ``ProxyError/invalidVariable(_:_:)``.
    public static func environment() throws(SessionError) -> Self {
        try environment(ProcessInfo.processInfo.environment)
    }

    /// Returns the first variable that is set and not empty.
    private static func find(
        _ names: [String], in variables: [String: String]
    ) -> (name: String, value: String)? {
        for name in names {
            let value = variables[name] ?? ""
            if !value.allSatisfy(\.isWhitespace) { return (name, value) }
        }
        return nil
    }

    private static func proxy(_ names: [String], in variables: [String: String]) throws(SessionError) -> Proxy? {
        guard let (name, value) = find(names, in: variables) else { return nil }
        do {
            return try Proxy(value)
        } catch .request(.invalidURL(_, let reason)) {
            // The value cannot be parsed, so it is unknown which part of it is a password; the error omits it.
            throw .proxy(.invalidVariable(name, .url(reason)))
        } catch .request(.unsupportedScheme(let scheme)) {
            throw .proxy(.invalidVariable(name, .unsupportedScheme(scheme)))
        }
    }

    /// The hosts of this machine.
    private static let loopback = "localhost,127.0.0.0/8,::1"

    private static func exceptions(
        _ names: [String], in variables: [String: String], and others: String
    ) throws(SessionError) -> ProxyExceptions {
        let (name, value) = find(names, in: variables) ?? ("", "")
        do {
            return try ProxyExceptions(value + "," + others)
        } catch .proxy(.invalidException(let entry)) {
            throw .proxy(.invalidVariable(name, .exception(entry)))
        }
    }
}
