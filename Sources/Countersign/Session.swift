// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import Logging

/// Reaches protected resources: sends requests, decides on trust, answers challenges, keeps connections.
public struct Session: Sendable {
    /// How a session behaves.
    public struct Configuration: Sendable {
        public var trust: TrustPolicy
        public var handlers: ChallengeHandlers
        public var proxy: Proxy?
        /// How many redirects one request follows; 20 by default.
        public var redirectLimit = 20
        public var tlsVersions: TLSVersions = .all
        /// How long a TCP connection may take.
        public var connectTimeout: Duration = .seconds(30)
        /// How long a connection may stay silent while a response is awaited.
        public var idleTimeout: Duration = .seconds(60)
        public var logger: Logger?
        /// Called with what happens, from any thread.
        public var observer: (@Sendable (SessionEvent) -> Void)?

        public init(trust: TrustPolicy = TrustPolicy(), handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
            self.trust = trust
            self.handlers = handlers
            self.proxy = proxy
        }
    }

    /// Which versions of TLS may be negotiated.
    public enum TLSVersions: Hashable, Sendable {
        case all
        case onlyTLS12
        case onlyTLS13
    }

    public init(_ configuration: Configuration = Configuration()) {}

    /// Gets a resource.
    public func get(_ url: String) async throws -> Response {
        try await send(Request(url: url))
    }

    /// Sends a request, answers what stands in its way, and follows redirects.
    public func send(_ request: Request) async throws -> Response {
        throw SessionError.sessionClosed
    }

    /// Closes every connection; requests in flight fail.
    public func close() async {}
}
