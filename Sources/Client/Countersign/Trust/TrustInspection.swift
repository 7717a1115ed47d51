// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import NIOConcurrencyHelpers

/// Keeps what was seen of an origin's chain, however the handshake ends.
final class TrustInspection: Sendable {
    private let decisions = NIOLockedValueBox<HandshakeDecisions?>(nil)

    /// Called when the chain is evaluated.
    func note(_ decisions: HandshakeDecisions) {
        self.decisions.withLockedValue { $0 = decisions }
    }

    /// `nil` where no chain came.
    func serverTrust(of endpoint: Endpoint) -> ServerTrust? {
        guard let decisions = decisions.withLockedValue({ $0 }), case let facts = decisions.facts,
            let chain = facts.chain, let verdict = facts.verdict
        else { return nil }
        let connection = decisions.record.facts
        return ServerTrust(
            endpoint: endpoint, chain: chain, verdict: verdict, tlsVersion: connection.version,
            cipherSuite: connection.cipherSuite.map(CipherSuite.name),
            certificateRequest: connection.identityRequest.map { CertificateRequest($0) })
    }
}
