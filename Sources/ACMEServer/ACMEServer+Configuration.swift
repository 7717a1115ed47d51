// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ACMEServer {
    /// How a server behaves.
    public struct Configuration: Sendable {
        /// The URL below which its resources are, without a slash at the end; clients sign it with every request.
        public var baseURL: String
        /// The URL of the terms of service; an account must agree to them where they are given.
        public var termsOfService: String?
        /// The URL of the authority's web site.
        public var website: String?
        /// The names by which CAA records allow the authority.
        public var caaIdentities: [String] = []
        /// The profiles that an order may choose, each with its description.
        public var profiles: [String: String] = [:]
        /// Finds the keys of external accounts; where it is given, an account needs one (RFC 8555 section 7.3.4).
        public var externalAccountKey: (@Sendable (_ identifier: String) async throws -> Secret?)?
        /// Seals nonces; servers that share a store and a name need the same, at least 32 bytes.
        public var nonceKey: Secret
        /// How long an order and its authorizations may be pending, in seconds.
        public var orderLifetime: TimeInterval = 86_400
        /// How long a valid authorization stays valid, in seconds, beyond its order and also for revocation.
        public var authorizationLifetime: TimeInterval = 7 * 86_400
        /// The most identifiers in one order.
        public var mostIdentifiers = 100
        /// The most orders of one account that are neither valid nor invalid.
        public var mostPendingOrders = 50
        /// The most orders of one account in an hour.
        public var mostOrders = 300
        /// The most new accounts in an hour.
        public var mostNewAccounts = 300
        /// The most failed validations in an hour of one account for one identifier.
        public var mostFailures = 20
        /// The most validations at one time.
        public var mostValidations = 64
        /// The time that the server asks clients to wait between requests, in seconds.
        public var pollInterval = 1

        /// The defaults, with a new random nonce key.
        public init(baseURL: String) {
            self.baseURL = baseURL
            nonceKey = Secret(utf8: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        }
    }
}
