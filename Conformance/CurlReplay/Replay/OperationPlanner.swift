// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import Secrets

/// Translates an operation of curl into the session's configuration.
struct OperationPlanner {
    let operation: CurlOperation
    let test: CurlTest
    /// Whether the command has several URLs.
    let hasSeveralURLs: Bool
    /// Returns the content of a file by its path.
    let read: (String) -> [UInt8]?

    /// The order in which curl prefers methods, which the user cannot change.
    private static let preference: [AuthenticationMethod] = [.negotiate, .bearer, .digest, .ntlm, .basic]
    /// Curl's default port of a proxy.
    private static let proxyPort = 1080

    /// - Throws: `SessionError` for an invalid host, ``ReplayError``, or `NetrcError`.
    func plan(for url: CurlURL) throws -> SessionPlan {
        let methods = originMethods.union(proxyMethods)
        let netrc = try netrc()
        return SessionPlan(
            proxy: try proxy(for: url), methods: Self.preference.filter(methods.contains),
            redirectLimit: operation.redirects == .delivered ? 0 : operation.redirectLimit,
            netrc: operation.user == nil ? netrc : nil, connectTargets: try connectTargets(of: url))
    }

    var originMethods: Set<AuthenticationMethod> {
        let named = operation.methods.isEmpty ? [.basic] : operation.methods
        return operation.bearerToken == nil ? named : named.union([.bearer])
    }

    private var proxyMethods: Set<AuthenticationMethod> {
        operation.proxyMethods.isEmpty ? [.basic] : operation.proxyMethods
    }

    /// Returns the only allowed method, which curl uses preemptively if that is possible.
    static func preemptiveMethod(of methods: Set<AuthenticationMethod>) -> AuthenticationMethod? {
        methods.count == 1 ? methods.first : nil
    }

    /// Returns the persistence of credentials: curl reuses a Digest nonce along redirects, but not in other transfers.
    func persistence(of methods: Set<AuthenticationMethod>) -> Credential.Persistence {
        operation.redirects == .delivered && methods.contains(.digest) && hasSeveralURLs ? .none : .session
    }

    private func netrc() throws -> NetrcFile? {
        guard operation.netrc != .unread else { return nil }
        let home = (test.environment["HOME"] ?? "") + "/.netrc"
        let path = operation.netrcPath ?? test.environment["NETRC"] ?? home
        do {
            guard let bytes = read(path) else { throw ReplayError.unreadableFile(path: path) }
            return try NetrcFile(bytes)
        } catch {
            guard operation.netrc == .optional else { throw error }
            return nil
        }
    }

    private func proxy(for url: CurlURL) throws -> Proxy? {
        let named = operation.proxy ?? environmentProxy(for: url)
        guard let named, !named.isEmpty, !isDirect(url.host) else { return nil }
        let address = try CurlURL(named)
        guard ["http", "https"].contains(address.scheme) else {
            throw ReplayError.unsupported("a proxy of \(address.scheme)")
        }
        var proxy = Proxy(
            endpoint: HostEndpoint(host: try HostName(address.host), port: address.port ?? Self.proxyPort),
            kind: address.scheme == "https" ? .https : .http)
        if let user = operation.proxyUser ?? address.user {
            proxy.credential = .password(
                user: user.name, password: Secret(user.password ?? ""),
                persistence: operation.tunnelsAlways ? .session : persistence(of: proxyMethods))
            proxy.preemptiveMethod = Self.preemptiveMethod(of: proxyMethods)
        }
        proxy.tunneling = operation.tunnelsAlways ? .everyOrigin : .encryptedOrigins
        return proxy
    }

    private func environmentProxy(for url: CurlURL) -> String? {
        let names =
            url.scheme == "http"
            ? ["http_proxy", "all_proxy", "ALL_PROXY"] : ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.lazy.compactMap { test.environment[$0] }.first
    }

    private func isDirect(_ host: String) -> Bool {
        let environment = (test.environment["no_proxy"] ?? test.environment["NO_PROXY"] ?? "").split {
            $0 == "," || $0 == " "
        }
        let names = operation.directHosts.isEmpty ? environment.map(String.init) : operation.directHosts
        return names.contains { name in
            let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
            return name == "*" || host == name || host.hasSuffix("." + name)
        }
    }

    private func connectTargets(of url: CurlURL) throws -> [HostEndpoint: ConnectTarget] {
        var connectTargets: [HostEndpoint: ConnectTarget] = [:]
        for target in operation.connectTargets {
            let port = Int(target.port) ?? url.port ?? url.defaultPort
            let host = target.host.isEmpty || target.host == "*" ? url.host : target.host
            let new = target.newHost.isEmpty ? host : target.newHost
            let origin = HostEndpoint(host: try HostName(host), port: port)
            let destination = HostEndpoint(host: try HostName(new), port: Int(target.newPort) ?? port)
            if destination != origin { connectTargets[origin] = .endpoint(destination) }
        }
        return connectTargets
    }
}
