// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// Where the two ends meet that a server's flight is read from: the bytes that pass, and NIOSSL's key log.
///
/// NIOSSL calls the key log while it reads the ServerHello, thus before it asks for an identity: what the server named is
/// known by then.
final class FlightObservation: Sendable {
    private let flight = NIOLockedValueBox(ServerFlight())
    private let record: ConnectionRecord

    init(record: ConnectionRecord) {
        self.record = record
    }

    var isDone: Bool { flight.withLockedValue { $0.isDone } }

    func receive(_ buffer: ByteBuffer) {
        note(flight.withLockedValue { $0.receive(buffer.readableBytesView) })
    }

    func receive(keyLogLine: ByteBuffer) {
        guard let secret = HandshakeSecret(keyLogLine: keyLogLine.readableBytesView) else { return }
        note(flight.withLockedValue { $0.receive(secret) })
    }

    func finish() {
        flight.withLockedValue { $0.finish() }
    }

    private func note(_ findings: [ServerFlight.Finding]) {
        for finding in findings {
            record.note { facts in
                switch finding {
                case .notTLS: facts.isNotTLS = true
                case .cipherSuite(let suite): facts.cipherSuite = suite
                case .acceptableIssuers(let issuers): facts.acceptableIssuers = issuers
                }
            }
        }
    }
}
