// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Trust a private authority".

import CertificateTrust
import Countersign
import Foundation
import X509

func onlyPrivateAuthority() throws -> HTTPSession {
    let anchors = try TrustPolicy.Anchors.only(contentsOf: URL(filePath: "corp-root.pem"))
    let session = HTTPSession(trust: TrustPolicy(anchors: anchors))
    return session
}

func systemAndPrivateAuthority() throws -> HTTPSession {
    let anchors = try TrustPolicy.Anchors.systemAnd(contentsOf: URL(filePath: "corp-root.der"))
    let session = HTTPSession(trust: TrustPolicy(anchors: anchors))
    return session
}

func anchorsInMemory(bytes: [UInt8]) throws -> HTTPSession {
    let roots = try CertificateFile.certificates(in: bytes)
    let session = HTTPSession(trust: TrustPolicy(anchors: .only(roots)))
    return session
}

func oneDomain() throws -> HTTPSession {
    let policies: DomainPolicies = try [
        "intranet.example": .only(contentsOf: URL(filePath: "corp-root.pem")),
        "*.partner.example": .pinned([Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]),
    ]
    let session = HTTPSession(HTTPSession.Configuration(policies: policies))
    return session
}

func domains(_ settings: [String: URL]) throws -> DomainPolicies {
    var policies = DomainPolicies()
    for (domain, file) in settings { try policies.set(.only(contentsOf: file), for: domain) }
    return policies
}

func missingIssuers(roots: [Certificate]) -> TrustPolicy {
    var trust = TrustPolicy(anchors: .only(roots))
    trust.missingIssuers = .fetched
    trust.revocation = .softFail
    return trust
}

func explained(_ session: HTTPSession) async throws {
    let trust = try await session.inspect("https://intranet.example")
    print(trust.verdict.isTrusted, trust.verdict.explanation)
}
