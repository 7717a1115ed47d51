// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Where the two ends meet that a server's flight is read from: the bytes that pass, and NIOSSL's key log.
///
/// NIOSSL calls the key log while it reads the ServerHello, thus before it asks for an identity: what the server named can be
/// read by then. Most servers ask for none, so what is encrypted is kept as it came, and decrypted when one does.
final class FlightObservation: Sendable {
    private struct State {
        var flight = ServerFlight()
        /// The line of the key log that opens what is kept.
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

    /// Decrypts what was kept; called when the server has asked for an identity.
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

    /// Forgets what was kept.
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
