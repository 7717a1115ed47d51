// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Follows a server's half of a handshake for what NIOSSL does not tell: the cipher suite, and the issuers that a request for
/// a client certificate names.
///
/// It only reads: whatever it cannot read is unknown, and NIOSSL decides on the handshake alone. What comes in is bounded.
package struct ServerFlight {
    package enum Finding: Equatable {
        case notTLS
        case cipherSuite(UInt16)
        case acceptableIssuers(AcceptableIssuers)
    }

    private enum State {
        case awaitingHello
        /// TLS 1.2: in the clear until ChangeCipherSpec.
        case inTheClear
        /// TLS 1.3, whose ServerHello has come but not the secret that it leads to.
        case awaitingSecret(RecordProtection.Suite)
        case encrypted(RecordProtection)
        case done
    }

    /// More than a handshake has until the request is over, whose messages are at most 100 KiB each, in bytes.
    package static let limit = 1 << 18

    private var state = State.awaitingHello
    private var records = RecordReader()
    private var messages = HandshakeReader()
    private var received = 0

    package init() {}

    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Takes what came from the server, in any portions.
    package mutating func receive(_ bytes: some Collection<UInt8>) -> [Finding] {
        guard !isDone else { return [] }
        let accepted = bytes.prefix(Self.limit - received)
        received += accepted.count
        records.append(accepted)
        let findings = advance()
        // Only now, so that how the bytes are cut decides nothing.
        if accepted.count < bytes.count { finish() }
        return findings
    }

    /// Takes the secret, which becomes known between the ServerHello and what follows it.
    package mutating func receive(_ secret: HandshakeSecret) -> [Finding] {
        guard case .awaitingSecret(let suite) = state else { return [] }
        state = .encrypted(RecordProtection(suite, secret: secret))
        return advance()
    }

    /// Forgets everything, the keys above all.
    mutating func finish() {
        (state, records, messages) = (.done, RecordReader(), HandshakeReader())
    }

    private mutating func advance() -> [Finding] {
        var findings: [Finding] = []
        do {
            while isReading, let record = try records.next() { try take(record, &findings) }
        } catch {
            if error == .notTLS { findings.append(.notTLS) }
            finish()
        }
        return findings
    }

    private var isReading: Bool {
        switch state {
        case .awaitingHello, .inTheClear, .encrypted: true
        case .awaitingSecret, .done: false
        }
    }

    // MARK: Records

    private mutating func take(_ record: TLSRecord, _ findings: inout [Finding]) throws(ServerFlightError) {
        switch (state, record.type) {
        case (.awaitingHello, .handshake), (.inTheClear, .handshake):
            messages.append(record.fragment)
        case (.encrypted(var protection), .applicationData):
            let (type, content) = try protection.open(record)
            guard type == .handshake else { throw .unreadable }
            state = .encrypted(protection)
            messages.append(content)
        case (.awaitingHello, .changeCipherSpec), (.encrypted, .changeCipherSpec):
            // For middleboxes, and without a meaning (RFC 8446 section D.4).
            return
        default:
            throw .unreadable
        }
        while !isDone, let message = try messages.next() { try take(message, &findings) }
    }

    // MARK: Messages

    private mutating func take(_ message: HandshakeMessage, _ findings: inout [Finding]) throws(ServerFlightError) {
        switch (state, message.kind) {
        case (.awaitingHello, .serverHello):
            guard let hello = ServerHello(message.body) else { throw .unreadable }
            if !hello.isRetryRequest { try take(hello, &findings) }
        case (.inTheClear, .certificateRequest):
            try take(AcceptableIssuers(requestOfTLS12: message.body), &findings)
        case (.encrypted, .certificateRequest):
            try take(AcceptableIssuers(requestOfTLS13: message.body), &findings)
        case (.inTheClear, .certificate), (.inTheClear, .certificateStatus), (.inTheClear, .serverKeyExchange),
            (.encrypted, .encryptedExtensions):
            return
        default:
            // The request would have come before.
            finish()
        }
    }

    private mutating func take(_ hello: ServerHello, _ findings: inout [Finding]) throws(ServerFlightError) {
        findings.append(.cipherSuite(hello.cipherSuite))
        guard hello.isTLS13 else { return state = .inTheClear }
        // The keys change here, so no message may go on (RFC 8446 section 5.1).
        guard messages.isEmpty, let suite = RecordProtection.Suite(rawValue: hello.cipherSuite) else {
            throw .unreadable
        }
        state = .awaitingSecret(suite)
    }

    private mutating func take(_ issuers: AcceptableIssuers?, _ findings: inout [Finding]) throws(ServerFlightError) {
        guard let issuers else { throw .unreadable }
        findings.append(.acceptableIssuers(issuers))
        finish()
    }
}
