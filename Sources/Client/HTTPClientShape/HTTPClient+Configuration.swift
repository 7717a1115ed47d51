// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import NIOCore

extension HTTPClient {
    /// The settings of a client: those that AsyncHTTPClient has too, and a session's configuration for all others.
    public struct Configuration: Sendable {
        /// The session's configuration, for settings that AsyncHTTPClient does not have: trust, handlers for challenges, identities.
        ///
        /// The other properties replace its settings of redirects, timeouts and proxies.
        public var session: Session.Configuration
        /// Whether redirects are followed; by default at most five.
        ///
        /// It replaces the session's limit.
        public var redirectConfiguration: RedirectConfiguration
        /// The timeouts; by default those of the session.
        public var timeout: Timeout
        /// The proxy of every request; `nil` for the proxies of the session.
        public var proxy: Proxy?

        /// Makes a configuration; without arguments, the defaults.
        ///
        /// - Parameters:
        ///   - session: The session's configuration.
        ///   - redirectConfiguration: Whether redirects are followed; `nil` follows at most five.
        ///   - timeout: How long connecting and silence may take.
        ///   - proxy: The proxy of every request; `nil` for the proxies of the session.
        public init(
            session: Session.Configuration = Session.Configuration(),
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
    /// Whether redirects are followed.
    public struct RedirectConfiguration: Hashable, Sendable {
        let limit: Int

        /// Redirects are not followed: the redirect itself is delivered.
        public static let disallow = Self(limit: 0)

        /// Follows redirects.
        ///
        /// - Parameters:
        ///   - max: The largest number of redirects; one more is an error, and 0 delivers the redirect itself.
        ///   - allowCycles: Has no effect: a session never follows a loop of redirects.
        /// - Returns: The configuration.
        public static func follow(max: Int, allowCycles: Bool) -> Self { Self(limit: max) }
    }

    /// The timeouts of a client.
    public struct Timeout: Hashable, Sendable {
        /// How long a TCP connection may take to open, and then a proxy or a server be silent before it is ready; `nil` for the session's
        /// timeouts.
        public var connect: TimeAmount?
        /// How long a connection may be silent; `nil` for the session's timeout.
        public var read: TimeAmount?

        /// Makes timeouts.
        ///
        /// - Parameters:
        ///   - connect: How long a TCP connection may take to open, and then a proxy or a server be silent before it is ready; `nil` for the
        ///     session's timeouts.
        ///   - read: How long a connection may be silent; `nil` for the session's timeout.
        public init(connect: TimeAmount? = nil, read: TimeAmount? = nil) {
            self.connect = connect
            self.read = read
        }
    }

    /// What the session is made with.
    ///
    /// - Throws: `HostNameError` of a proxy's host.
    func sessionConfiguration(on provider: HTTPClient.EventLoopGroupProvider) throws -> Session.Configuration {
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
