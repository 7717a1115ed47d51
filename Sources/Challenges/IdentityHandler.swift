// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Identities

/// Presents one identity to one host, when it asks.
public struct IdentityHandler: ChallengeHandler {
    private let identity: Identity
    private let host: String

    /// Binds an identity to a host.
    ///
    /// - Parameters:
    ///   - identity: What is presented.
    ///   - host: The host that may see it, as in a URL.
    public init(_ identity: Identity, host: String) {
        self.identity = identity
        self.host = host.lowercased()
    }

    /// Gives the identity to its own host, and no certificate to any other.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        challenge.space.host.description == host ? .use(.identity(identity)) : .performDefault
    }
}

extension ChallengeHandler where Self == IdentityHandler {
    /// Presents one identity to one host, when it asks.
    public static func identity(_ identity: Identity, host: String) -> Self {
        IdentityHandler(identity, host: host)
    }
}
