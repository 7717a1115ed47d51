// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Choose the TLS library".

import CertificateTrust
import Countersign

func withOpenSSL() throws -> HTTPSession {
    var policy = ServerPolicy()
    policy.tlsLibrary = .openSSL
    var policies = DomainPolicies()
    try policies.set(policy, for: "old.example")
    let session = HTTPSession(.init(policies: policies))
    return session
}

func accepting(_ server: ServerPolicy) -> ServerPolicy {
    var policy = server
    policy.allowsLegacyTLS = true
    return policy
}
