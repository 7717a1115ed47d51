// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import Secrets

extension ACMEServer {
    /// The settings of a server, such as its URLs, secrets and limits.
    public struct Configuration: Sendable {
        /// The base URL of the server's resources, without a trailing slash.
        ///
        /// Clients sign it with every request.
        public var baseURL: String
        /// The URL of the terms of service to which an account must agree; `nil`, the default, if there are none.
        public var termsOfService: String?
        /// The URL of the authority's web site; `nil`, the default, if there is none.
        public var website: String?
        /// The names of the authority in CAA records (RFC 8659); none by default.
        public var caaIdentities: [String] = []
        /// The profiles that an order can select, with their descriptions; none by default.
        public var profiles: [String: String] = [:]
        /// Returns the key of an external account (RFC 8555 section 7.3.4); `nil`, the default, if accounts need no
        /// external one.
        ///
        /// The closure gets the identifier that a client sends as `kid`, and returns `nil` if there is no such external
        /// account. If it throws an error, the client gets a response with status 500.
        public var externalAccountKey: (@Sendable (_ identifier: String) async throws -> Secret?)?
        /// The HMAC-SHA256 key that authenticates the server's nonces: at least 32 bytes, by default 32 random bytes.
        ///
        /// Servers that share a store and a base URL need the same key.
        public var nonceKey: Secret
        /// The lifetime of an order and its pending authorizations in seconds; the default is a day.
        public var orderLifetime: TimeInterval = 86_400
        /// The lifetime of a valid authorization in seconds, from its validation; the default is seven days.
        ///
        /// An authorization outlives its order: until it expires, the account may revoke certificates for the
        /// identifier.
        public var authorizationLifetime: TimeInterval = 7 * 86_400
        /// The maximum number of identifiers in one order; the default is 100.
        ///
        /// With 0, the server accepts no orders.
        public var maximumIdentifierCount = 100
        /// The maximum number of an account's orders that are neither valid nor invalid; the default is 50.
        public var maximumPendingOrderCount = 50
        /// The maximum number of an account's new orders in one clock hour; the default is 300.
        public var maximumHourlyOrderCount = 300
        /// The maximum number of new accounts in one clock hour; the default is 300.
        public var maximumHourlyAccountCount = 300
        /// The maximum number of an account's failed validations of one identifier in one clock hour; the
        /// default is 20.
        public var maximumHourlyFailureCount = 20
        /// The maximum number of concurrent validations; the default is 64.
        public var maximumValidationCount = 64
        /// The value of the `Retry-After` field for polling clients, in seconds; the default is 1.
        public var pollInterval = 1

        /// Creates a configuration with the defaults and a new random nonce key.
        ///
        /// - Parameter baseURL: The base URL of the server's resources, without a trailing slash.
        public init(baseURL: String) {
            self.baseURL = baseURL
            nonceKey = Secret(utf8: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        }
    }
}
