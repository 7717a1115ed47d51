// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import NIOCore

extension HTTPClient {
    /// How a client behaves: what AsyncHTTPClient's users know, and a session's own configuration for the rest.
    public struct Configuration: Sendable {
        /// The session's configuration, for what AsyncHTTPClient's does not have: trust, handlers for challenges, identities.
        ///
        /// The properties beside it come on top.
        public var session: Session.Configuration
        /// At most five redirects unless said otherwise.
        public var redirectConfiguration: RedirectConfiguration
        /// The session's own unless said otherwise.
        public var timeout: Timeout
        /// Through which every request goes; `nil` leaves it to the session.
        public var proxy: Proxy?

        /// A configuration; without arguments, the defaults.
        ///
        /// - Parameters:
        ///   - session: The session's configuration.
        ///   - redirectConfiguration: `nil` follows at most five.
        ///   - timeout: How long connecting and silence may take.
        ///   - proxy: Through which every request goes.
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

        /// The redirect itself is delivered.
        public static let disallow = Self(limit: 0)

        /// Follows redirects.
        ///
        /// - Parameters:
        ///   - max: The largest number of redirects.
        ///   - allowCycles: Without effect: a session never goes to one place twice.
        /// - Returns: The configuration.
        public static func follow(max: Int, allowCycles: Bool) -> Self { Self(limit: max) }
    }

    /// The timeouts of a client.
    public struct Timeout: Hashable, Sendable {
        /// How long a connection may take to open; `nil` leaves it to the session.
        public var connect: TimeAmount?
        /// How long a connection may be silent; `nil` leaves it to the session.
        public var read: TimeAmount?

        /// Makes timeouts.
        ///
        /// - Parameters:
        ///   - connect: How long a connection may take to open.
        ///   - read: How long it may be silent.
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
        if let connect = timeout.connect { configuration.connectTimeout = Duration(connect) }
        if let read = timeout.read { configuration.idleTimeout = Duration(read) }
        if let proxy { configuration.proxy = try Countersign.Proxy(proxy) }
        return configuration
    }
}
