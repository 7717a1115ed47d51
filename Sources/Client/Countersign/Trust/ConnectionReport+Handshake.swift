// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import Identities

extension ConnectionReport.TLS {
    init?(_ decisions: HandshakeDecisions) {
        let (facts, connection) = (decisions.facts, decisions.record.facts)
        guard let chain = facts.chain, let verdict = facts.verdict, let version = connection.version else { return nil }
        self.version = version
        cipherSuite = connection.cipherSuite.map(CipherSuite.name) ?? "unknown"
        self.chain = chain
        self.verdict = verdict
        clientCertificate =
            if case .identity(let identity) = facts.identity?.kind { identity.certificate } else { nil }
    }
}
