// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Pin keys".

import CertificateTrust
import Countersign
import Foundation
import X509

func pinned(current: String, reserve: String, end: Date) throws -> HTTPSession {
    var trust = TrustPolicy()
    trust.pins = PinSet([try Pin(current)], backups: [try Pin(reserve)], expiry: end)
    let session = HTTPSession(trust: trust)
    return session
}

func pinOfCertificate(_ certificate: Certificate) -> String {
    let pin = Pin(.publicKey, of: certificate)
    return pin.description  // "sha256/K9kJyp2x9CQO..."
}

func pinnedAuthority(of root: Certificate) -> TrustPolicy {
    TrustPolicy(anchors: .only([root]), pins: [Pin(.authority, of: root)])
}

func triedOut(_ pins: Set<Pin>, backups: Set<Pin>) -> PinSet {
    PinSet(pins, backups: backups, enforcement: .reportOnly)
}

func failures(_ session: HTTPSession) async throws {
    do {
        _ = try await session.get("https://shop.example/")
    } catch SessionError.trust(.notTrusted(let peer, _, let verdict)) {
        print(peer, verdict.explanation)
    }
}
