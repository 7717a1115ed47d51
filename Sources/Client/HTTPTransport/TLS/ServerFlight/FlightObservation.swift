// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// The observation of a server's flight from two sources: the bytes on the channel, and NIOSSL's key log.
///
/// NIOSSL calls the key log while it reads the ServerHello, and therefore before it requests an identity: by then the
/// acceptable issuers are readable. Most servers request no identity, so encrypted records are stored, and decrypted
/// only for such a request.
final class FlightObservation: Sendable {
    private struct State {
        var flight = ServerFlight()
        /// The line of the key log with the secret for the stored records.
        var secret: ByteBuffer?
    }

    private let state = NIOLockedValueBox(State())
    private let record: PeerRecord

    init(record: PeerRecord) {
        self.record = record
    }

    var isDone: Bool { state.withLockedValue { $0.flight.isDone } }

    func receive(_ buffer: ByteBuffer) {
        note(state.withLockedValue { $0.flight.receive(buffer.readableBytesView) })
    }

    func receive(keyLogLine line: ByteBuffer) {
        guard HandshakeSecret.isLogged(by: line.readableBytesView) else { return }
        state.withLockedValue { if !$0.flight.isDone { $0.secret = line } }
    }

    /// Decrypts the stored records after the server has requested an identity.
    func readAcceptableIssuers() {
        note(
            state.withLockedValue { state in
                defer { state.secret = nil }
                guard let line = state.secret, let secret = HandshakeSecret(keyLogLine: line.readableBytesView) else {
                    return []
                }
                return state.flight.receive(secret)
            })
    }

    /// Discards the stored records and the secret.
    func finish() {
        state.withLockedValue { state in
            state.flight.finish()
            state.secret = nil
        }
    }

    private func note(_ findings: [ServerFlight.Finding]) {
        guard !findings.isEmpty else { return }
        record.note { facts in
            for finding in findings {
                switch finding {
                case .notTLS: facts.isNotTLS = true
                case .cipherSuite(let suite): facts.cipherSuite = suite
                case .acceptableIssuers(let issuers): facts.acceptableIssuers = issuers
                }
            }
        }
    }
}
