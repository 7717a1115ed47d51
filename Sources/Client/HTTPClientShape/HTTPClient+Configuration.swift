// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
public import Countersign
public import NIOCore
import Secrets

extension HTTPClient {
    /// The settings of a client: those of AsyncHTTPClient, and a session's configuration for all others.
    public struct Configuration: Sendable {
        /// The session's configuration, for settings that AsyncHTTPClient does not have: trust, challenge handlers,
        /// identities.
        ///
        /// The other properties replace its settings for redirects, timeouts and proxies.
        public var session: HTTPSession.Configuration
        /// The handling of redirects; by default, at most five are followed.
        ///
        /// It replaces the session's limit.
        public var redirectConfiguration: RedirectConfiguration
        /// The timeouts; by default those of the session.
        public var timeout: Timeout
        /// The proxy of every request; `nil` for the proxies of the session.
        public var proxy: Proxy?

        /// Makes a configuration; without arguments, one with the default settings.
        ///
        /// - Parameters:
        ///   - session: The session's configuration.
        ///   - redirectConfiguration: The handling of redirects; `nil` follows at most five.
        ///   - timeout: The timeouts.
        ///   - proxy: The proxy of every request; `nil` for the proxies of the session.
        public init(
            session: HTTPSession.Configuration = HTTPSession.Configuration(),
            redirectConfiguration: RedirectConfiguration? = nil, timeout: Timeout = Timeout(), proxy: Proxy? = nil
        ) {
            self.session = session
            self.redirectConfiguration = redirectConfiguration ?? .follow(max: 5, allowCycles: false)
            self.timeout = timeout
            self.proxy = proxy
        }
    }
}

extension HTTPClient.Configuration {
    /// The handling of redirects.
    public struct RedirectConfiguration: Hashable, Sendable {
        let limit: Int

        /// Redirects are not followed, and the redirect itself is delivered.
        public static let disallow = Self(limit: 0)

        /// Follows redirects.
        ///
        /// - Parameters:
        ///   - max: The maximum number of redirects; one more is an error, and 0 delivers the redirect itself.
        ///   - allowCycles: Has no effect: a session never follows a loop of redirects.
        /// - Returns: The configuration.
        public static func follow(max: Int, allowCycles: Bool) -> Self { Self(limit: max) }
    }

    /// The timeouts of a client.
    public struct Timeout: Hashable, Sendable {
        /// The timeout for opening a TCP connection, and for the silence of a proxy or a server in the handshakes that
        /// follow; `nil` for the session's timeouts.
        public var connect: TimeAmount?
        /// The timeout for the silence of a connection; `nil` for the session's timeout.
        public var read: TimeAmount?

        /// Makes timeouts.
        ///
        /// - Parameters:
        ///   - connect: The timeout for opening a TCP connection, and for the silence of a proxy or a server in the
        ///     handshakes that follow; `nil` for the session's timeouts.
        ///   - read: The timeout for the silence of a connection; `nil` for the session's timeout.
        public init(connect: TimeAmount? = nil, read: TimeAmount? = nil) {
            self.connect = connect
            self.read = read
        }
    }

    /// Returns the configuration of the session.
    ///
    /// - Throws: `HostNameError` if the proxy's host is malformed.
    func sessionConfiguration(on provider: HTTPClient.EventLoopGroupProvider) throws -> HTTPSession.Configuration {
        var configuration = session
        if let group = provider.group { configuration.eventLoopGroup = group }
        configuration.redirectLimit = redirectConfiguration.limit
        if let connect = timeout.connect {
            (configuration.connectTimeout, configuration.handshakeTimeout) = (Duration(connect), Duration(connect))
        }
        if let read = timeout.read { configuration.idleTimeout = Duration(read) }
        if let proxy { configuration.proxy = try Countersign.Proxy(proxy) }
        return configuration
    }
}

extension HTTPClient {
    /// A credential that is sent to a proxy preemptively.
    public struct Authorization: Hashable, Sendable {
        let credential: Credential
        let method: AuthenticationMethod

        /// Makes a credential from a user name and a password (Basic, RFC 7617).
        public static func basic(username: String, password: String) -> Self {
            Self(credential: .password(user: username, password: Secret(password)), method: .basic)
        }

        /// Makes a credential from a bearer token (RFC 6750).
        public static func bearer(tokens: String) -> Self {
            Self(credential: .token(Secret(tokens)), method: .bearer)
        }
    }
}

extension HTTPClient.Configuration {
    /// An HTTP proxy, reached without TLS.
    public struct Proxy: Hashable, Sendable {
        /// The host of the proxy: a name or an address.
        public var host: String
        /// The port, from 1 to 65,535.
        public var port: Int
        /// The credential that is sent to the proxy preemptively; `nil` for none.
        public var authorization: HTTPClient.Authorization?

        /// Makes an HTTP proxy.
        ///
        /// - Parameters:
        ///   - host: The host of the proxy: a name or an address. If it is malformed, every request fails with
        ///     `HostNameError`.
        ///   - port: The port, from 1 to 65,535.
        ///   - authorization: The credential that is sent to the proxy preemptively; `nil` for none.
        /// - Returns: The proxy.
        public static func server(
            host: String, port: Int, authorization: HTTPClient.Authorization? = nil
        ) -> Self {
            Self(host: host, port: port, authorization: authorization)
        }
    }
}

extension Countersign.Proxy {
    /// Converts a proxy of this module.
    ///
    /// - Throws: `HostNameError` if the host is malformed.
    init(_ proxy: HTTPClient.Configuration.Proxy) throws {
        self.init(endpoint: HostEndpoint(host: try HostName(proxy.host), port: proxy.port))
        credential = proxy.authorization?.credential
        preemptiveMethod = proxy.authorization?.method
    }
}
