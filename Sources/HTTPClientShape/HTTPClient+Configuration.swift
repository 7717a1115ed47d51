// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import NIOCore

extension HTTPClient {
    /// How a client behaves: what AsyncHTTPClient's users know, and a session's own configuration for the rest.
    public struct Configuration: Sendable {
        /// What this shape has no words for: trust, handlers for challenges, identities.
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
        ///   - session: What this shape has no words for.
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

        /// Redirects are followed.
        ///
        /// - Parameters:
        ///   - max: How many at most.
        ///   - allowCycles: Without effect: a session never goes to one place twice.
        /// - Returns: The configuration.
        public static func follow(max: Int, allowCycles: Bool) -> Self { Self(limit: max) }
    }

    /// How long things may take.
    public struct Timeout: Hashable, Sendable {
        /// How long a connection may take to open; `nil` leaves it to the session.
        public var connect: TimeAmount?
        /// How long a connection may be silent; `nil` leaves it to the session.
        public var read: TimeAmount?

        /// Timeouts.
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
