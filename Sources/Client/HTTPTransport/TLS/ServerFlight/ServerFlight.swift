// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A reader of the server's TLS handshake messages, for facts that NIOSSL does not report: the cipher suite, and the
/// acceptable issuers in a request for a client certificate.
///
/// It has no effect on the handshake, which NIOSSL alone decides: unreadable facts stay unknown. The input is limited
/// by ``limit``.
package struct ServerFlight {
    /// A fact in the server's messages.
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
        /// TLS 1.2: unencrypted until ChangeCipherSpec.
        case inTheClear
        /// TLS 1.3, after the ServerHello and before its secret is known.
        case awaitingSecret(RecordProtection.Suite)
        case encrypted(RecordProtection)
        case done
    }

    /// The maximum number of bytes to read.
    ///
    /// A handshake has fewer bytes up to the request for a client certificate.
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

    /// Reads bytes from the server, in portions of any size, and returns the facts in them.
    package mutating func receive(_ bytes: some Collection<UInt8>) -> [Finding] {
        guard !isDone else { return [] }
        let accepted = bytes.prefix(Self.limit - received)
        received += accepted.count
        records.append(accepted)
        let findings = advance()
        // Finished only after the accepted bytes are read, so that the size of portions has no effect.
        if accepted.count < bytes.count { finish() }
        return findings
    }

    /// Reads the secret, which is known between the ServerHello and the next message,
    /// and returns the facts that became readable.
    package mutating func receive(_ secret: HandshakeSecret) -> [Finding] {
        guard case .awaitingSecret(let suite) = state else { return [] }
        state = .encrypted(RecordProtection(suite, secret: secret))
        return advance()
    }

    /// Discards all data, in particular the keys.
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
            // ChangeCipherSpec is sent for middleboxes, and has no effect (RFC 8446 section D.4).
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
            // After this message, no request for a certificate can follow.
            finish()
        }
    }

    private mutating func take(_ hello: ServerHello, _ findings: inout [Finding]) throws(ServerFlightError) {
        findings.append(.cipherSuite(hello.cipherSuite))
        guard hello.isTLS13 else { return state = .inTheClear }
        // The keys change here, so a message must not span this boundary (RFC 8446 section 5.1).
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
