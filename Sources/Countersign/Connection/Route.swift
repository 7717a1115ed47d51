// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// What a connection depends on before it is opened: two requests share one only where all of this is equal.
struct Route: Hashable, Sendable {
    let scheme: HTTPURL.Scheme
    let endpoint: Endpoint
    let proxy: Proxy?
    let trust: TrustPolicy
    let tlsVersions: Session.TLSVersions

    init(to url: HTTPURL, proxy: Proxy?, trust: TrustPolicy, tlsVersions: Session.TLSVersions) {
        scheme = url.scheme
        self.proxy = proxy
        self.tlsVersions = tlsVersions
        // Through a proxy, plain http for every origin goes over one connection, and no trust is involved but the proxy's own.
        endpoint = url.scheme == .http ? proxy?.endpoint ?? url.endpoint : url.endpoint
        self.trust = trust
    }

    /// Whether the proxy is asked for the resource itself, in absolute-form, and not for a tunnel (RFC 9112 section 3.2.2).
    var usesAbsoluteForm: Bool { proxy != nil && scheme == .http }
}
