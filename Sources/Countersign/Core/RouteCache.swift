// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import NIOConcurrencyHelpers

/// The routes of a session, each found out once: its configuration never changes.
final class RouteCache: Sendable {
    /// What a route follows from, but for the configuration.
    private struct Key: Hashable {
        let scheme: HTTPURL.Scheme
        let endpoint: Endpoint
        let onlyHTTP1: Bool
    }

    private let configuration: Session.Configuration
    private let routes = NIOLockedValueBox<[Key: RequestRoute]>([:])

    /// One that is forgotten is found out again.
    private static let limit = 1024

    init(_ configuration: Session.Configuration) {
        self.configuration = configuration
    }

    /// - Throws: ``RequestError/plainHTTPForbidden(_:)``, ``TLSError/versionsExcluded(_:minimum:)``.
    func route(
        to url: HTTPURL, overriding trust: TrustPolicy? = nil, onlyHTTP1: Bool = false
    ) throws(SessionError) -> RequestRoute {
        guard trust == nil else {
            return try RequestRoute(to: url, under: configuration, overriding: trust, onlyHTTP1: onlyHTTP1)
        }
        let key = Key(scheme: url.scheme, endpoint: url.endpoint, onlyHTTP1: onlyHTTP1)
        if let known = routes.withLockedValue({ $0[key] }) { return known }
        let route = try RequestRoute(to: url, under: configuration, overriding: nil, onlyHTTP1: onlyHTTP1)
        routes.withLockedValue { routes in
            if routes.count >= Self.limit { routes.removeAll() }
            routes[key] = route
        }
        return route
    }
}
