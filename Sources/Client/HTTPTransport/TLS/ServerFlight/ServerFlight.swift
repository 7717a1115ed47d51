// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads the server's messages of a TLS handshake for facts that NIOSSL does not report: the cipher suite, and the issuers that a request
/// for a client certificate names.
///
/// It decides nothing: what it cannot read stays unknown, and NIOSSL alone decides on the handshake. The input is bounded by ``limit``.
package struct ServerFlight {
    /// A fact that the server's messages show.
    package enum Finding: Equatable {
        /// The first bytes are not a TLS record.
        case notTLS
        /// The server chose this cipher suite. Holds its code point in IANA's registry.
        case cipherSuite(UInt16)
        /// The server requests a client certificate, and names these issuers.
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

    /// The largest number of bytes that are read.
    ///
    /// A handshake has fewer up to the request for a client certificate.
    package static let limit = 1 << 18

    private var state = State.awaitingHello
    private var records = RecordReader()
    private var messages = HandshakeReader()
    private var received = 0

    package init() {}

    /// Whether no further input is needed.
    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// Takes bytes from the server, in portions of any size, and returns the facts that they show.
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

    /// Takes the secret, which becomes known between the ServerHello and the next message, and returns the facts that became readable.
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
