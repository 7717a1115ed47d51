// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import Identities

/// A handler that presents an identity to one host, when the host requests one.
public struct IdentityHandler: ChallengeHandler {
    private let identities: [Identity]
    private let encodedIdentity: EncodedIdentity?
    /// The host that may receive a certificate, and the port if only this one may; `nil` for no server.
    private let server: (host: HostName, port: Int?)?

    /// Binds an identity to a host, which receives it regardless of the issuers that the host names.
    ///
    /// - Parameters:
    ///   - identity: The identity to present.
    ///   - host: The host that may receive the certificate, as in a URL, or the host and the port as `host:port`; case
    ///     is ignored. No server matches any other text.
    public init(_ identity: Identity, host: String) {
        self.init([identity], host: host)
    }

    /// Binds several identities to a host.
    ///
    /// The host receives the first identity whose chain leads to an issuer that it names, and whose key can sign with
    /// one of its algorithms; none if there is no such identity.
    ///
    /// - Parameters:
    ///   - identities: The identities, the preferred one first, which is presented if the host names no issuers and
    ///     accepts the algorithm of its key. A single identity is presented regardless of the host's request.
    ///   - host: The host that may receive the certificates, as in a URL, or the host and the port as `host:port`;
    ///     case is ignored. No server matches any other text.
    public init(_ identities: [Identity], host: String) {
        (self.identities, encodedIdentity) = (identities, nil)
        server = HostName.withPort(host)
    }

    /// Binds an identity with a key of another type to a host, which receives it regardless of the issuers that the
    /// host names.
    ///
    /// - Parameters:
    ///   - identity: The identity to present.
    ///   - host: The host that may receive the certificate, as in a URL, or the host and the port as `host:port`; case
    ///     is ignored. No server matches any other text.
    public init(_ identity: EncodedIdentity, host: String) {
        (identities, encodedIdentity) = ([], identity)
        server = HostName.withPort(host)
    }

    /// Answers its host with an identity, and presents no certificate to any other host.
    public func answer(_ challenge: Challenge) async throws -> Disposition {
        let space = challenge.space
        guard let server, space.host == server.host, space.port == server.port ?? space.port else {
            return .performDefault
        }
        if let encodedIdentity { return .use(.identity(encodedIdentity)) }
        guard let identity = identity(for: challenge.statement) else { return .performDefault }
        return .use(.identity(identity))
    }

    private func identity(for statement: Challenge.Statement) -> Identity? {
        // The chain may omit an intermediate that the server has, so a single identity is presented without a check.
        guard identities.count > 1, case .clientCertificateRequest(let request) = statement else {
            return identities.first
        }
        return identities.first(where: request.isMet)
    }
}

extension ChallengeHandler where Self == IdentityHandler {
    /// Returns a handler that presents one identity to one host, when the host requests one.
    ///
    /// - Parameters:
    ///   - identity: The identity to present.
    ///   - host: The host that may receive the certificate, as in a URL, or the host and the port as `host:port`; case
    ///     is ignored. No server matches any other text.
    /// - Returns: The handler.
    public static func identity(_ identity: Identity, host: String) -> Self {
        IdentityHandler(identity, host: host)
    }

    /// Returns a handler that presents one identity with a key of another type to one host, when the host requests one.
    ///
    /// - Parameters:
    ///   - identity: The identity to present.
    ///   - host: The host that may receive the certificate, as in a URL, or the host and the port as `host:port`; case
    ///     is ignored. No server matches any other text.
    /// - Returns: The handler.
    public static func identity(_ identity: EncodedIdentity, host: String) -> Self {
        IdentityHandler(identity, host: host)
    }

    /// Returns a handler that presents, when one host requests an identity, the first of several whose chain leads to
    /// an issuer that the host names, and whose key can sign with one of the host's algorithms.
    ///
    /// - Parameters:
    ///   - identities: The identities, the preferred one first, which is presented if the host names no issuers and
    ///     accepts the algorithm of its key. A single identity is presented regardless of the host's request.
    ///   - host: The host that may receive the certificates, as in a URL, or the host and the port as `host:port`;
    ///     case is ignored. No server matches any other text.
    /// - Returns: The handler.
    public static func identities(_ identities: [Identity], host: String) -> Self {
        IdentityHandler(identities, host: host)
    }
}
