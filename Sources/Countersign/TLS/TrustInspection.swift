// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// Keeps what was seen of an origin's chain, however the handshake ends.
final class TrustInspection: Sendable {
    private let record = NIOLockedValueBox<ConnectionRecord?>(nil)

    /// Called when the chain is evaluated.
    func note(_ record: ConnectionRecord) {
        self.record.withLockedValue { $0 = record }
    }

    /// `nil` where no chain came.
    func serverTrust(of endpoint: Endpoint) -> ServerTrust? {
        guard let facts = record.withLockedValue({ $0?.facts }), let chain = facts.chain, let verdict = facts.verdict
        else { return nil }
        return ServerTrust(
            endpoint: endpoint, chain: chain, verdict: verdict, tlsVersion: facts.version,
            cipherSuite: facts.cipherSuite.map(CipherSuite.name), certificateRequest: facts.certificateRequest)
    }
}
