// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import Secrets

extension ACMEServer {
    /// The settings of a server: its URLs, its secrets and its limits.
    public struct Configuration: Sendable {
        /// The URL below which the server's resources are, without a slash at the end; clients sign it with every request.
        public var baseURL: String
        /// The URL of the terms of service, to which an account must agree; `nil`, the default, if there are none.
        public var termsOfService: String?
        /// The URL of the authority's web site; `nil`, the default, if there is none.
        public var website: String?
        /// The names by which CAA records allow the authority (RFC 8659); none by default.
        public var caaIdentities: [String] = []
        /// The profiles that an order may choose, each with its description; none by default.
        public var profiles: [String: String] = [:]
        /// Finds the key of an external account (RFC 8555 section 7.3.4); `nil`, the default, if accounts need no external one.
        ///
        /// The function gets the identifier that a client names as `kid`, and returns `nil` if there is no such external account. An error
        /// that it throws becomes a response with the status 500.
        public var externalAccountKey: (@Sendable (_ identifier: String) async throws -> Secret?)?
        /// The key of the HMAC with SHA-256 that marks nonces as the server's: at least 32 bytes, by default 32 random bytes.
        ///
        /// Servers that share a store and a base URL need the same key.
        public var nonceKey: Secret
        /// How long after its creation an order expires, with its pending authorizations, in seconds; the default is a day.
        public var orderLifetime: TimeInterval = 86_400
        /// How long an authorization stays valid after its validation, in seconds; the default is seven days.
        ///
        /// It outlives its order: until it expires, the account may revoke certificates for the identifier.
        public var authorizationLifetime: TimeInterval = 7 * 86_400
        /// The most identifiers in one order, below 1 for no orders; the default is 100.
        public var mostIdentifiers = 100
        /// The most orders of one account that are neither valid nor invalid; the default is 50.
        public var mostPendingOrders = 50
        /// The most orders of one account in an hour of the clock; the default is 300.
        public var mostOrders = 300
        /// The most new accounts in an hour of the clock; the default is 300.
        public var mostNewAccounts = 300
        /// The most failed validations of one account for one identifier in an hour of the clock; the default is 20.
        public var mostFailures = 20
        /// The most validations at one time; the default is 64.
        public var mostValidations = 64
        /// The time that the server asks clients to wait between requests by `Retry-After`, in seconds; the default is 1.
        public var pollInterval = 1

        /// Makes a configuration with the defaults and a new random nonce key.
        ///
        /// - Parameter baseURL: The URL below which the server's resources are, without a slash at the end.
        public init(baseURL: String) {
            self.baseURL = baseURL
            nonceKey = Secret(utf8: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        }
    }
}
