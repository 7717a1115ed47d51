// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Identities
package import NIOCore

/// An event of a connection.
package enum TLSEvent {
    /// The server's credentials need a decision: ``TLSEngine/approveServer()`` or ``TLSEngine/refuse(_:)``.
    ///
    /// A resumption asks too, with the stored certificates. A renegotiation does not ask, because the library requires
    /// the same certificate.
    case verificationRequested(TLSServerCredentials)
    /// The server requests a client certificate: ``TLSEngine/use(_:)`` or ``TLSEngine/refuse(_:)``.
    case identityRequested(TLSIdentityRequest)
    /// A key that is elsewhere signs a message: ``TLSEngine/use(signature:)`` or ``TLSEngine/refuse(_:)``.
    case signatureRequested(TLSSignatureScheme, [UInt8])
    case handshakeCompleted(TLSConnectionFacts)
    case sessionReceived(TLSSession)
    case received(ByteBuffer)
    /// The server has sent close_notify.
    case inputClosed
    /// The connection has failed; the last event.
    case failed(TLSFailure)

    /// Whether the event needs an answer.
    fileprivate var isQuestion: Bool {
        switch self {
        case .verificationRequested, .identityRequested, .signatureRequested: true
        default: false
        }
    }
}

/// A client's TLS connection without a channel: bytes and answers in, bytes and events out.
///
/// After each input or answer, call ``next()`` until it returns `nil`, and then send ``takeOutput()``.
package final class TLSEngine {
    private enum State {
        case handshaking
        case open
        case ended
    }

    /// The maximum length of a record, in bytes (RFC 8446 section 5.1).
    private static let recordLimit = 16_384
    /// The maximum number of bytes with which the library answers a server that sends no data; OpenSSL has no limit.
    private static let answerLimit = 1 << 16
    /// The length of the first records, in bytes: each fits into one TCP segment, so that the server can decrypt it
    /// without waiting for the next segment.
    private static let firstRecordLimit = 1_400
    /// The number of bytes that are sent in such records, which is TCP's initial window (RFC 6928).
    private static let firstFlight = 10 * firstRecordLimit

    private let kind: TLSLibrary
    private let library: any TLSLibraryConnection
    /// The offered protocols.
    private let applicationProtocols: [String]
    private var state = State.handshaking
    /// Whether the library has read all input, and asked no question since.
    private var needsInput = false
    private var isInputClosed = false
    private var hasReceivedBytes = false
    /// The number of bytes with which the library has answered messages of the server since its last data.
    private var answerCount = 0
    /// The bytes to send that do not fill a record.
    private var plaintext = ByteBuffer()
    /// The number of encrypted bytes, counted during the first flight.
    private var sentCount = 0

    /// Creates an engine, whose first ``next()`` makes the ClientHello.
    ///
    /// - Parameter settings: The settings of the connection.
    /// - Throws: ``TLSFailure/unusableSettings(reason:)`` or ``TLSFailure/unavailable(_:version:)``.
    package init(_ settings: TLSClientSettings) throws(TLSFailure) {
        (kind, applicationProtocols) = (settings.library, settings.applicationProtocols)
        library = try settings.library.connection(settings)
    }

    /// Offers to resume a session; call it before the first ``next()``.
    ///
    /// A session of another library is not offered.
    package func resume(_ session: TLSSession) {
        if session.library == kind { library.resume(session) }
    }

    // MARK: Bytes from the server

    /// The number of bytes that wait for an answer.
    package var pendingInput: Int { library.wire.input.readableBytes }

    /// Whether a question has no answer.
    package var isWaiting: Bool { library.wire.isWaiting }

    /// Whether the connection has failed or was abandoned.
    package var hasEnded: Bool { state == .ended }

    /// Accepts bytes from the server.
    package func receive(_ bytes: ByteBuffer) {
        guard state != .ended, !isInputClosed, let first = bytes.readableBytesView.first else { return }
        if !hasReceivedBytes {
            hasReceivedBytes = true
            // A server sends a handshake message or an alert first (RFC 8446 section 5.1).
            guard first == 21 || first == 22 else { return fail(.notTLS) }
        }
        needsInput = false
        if library.wire.input.readableBytes == 0 {
            library.wire.input = bytes
        } else {
            library.wire.input.writeImmutableBuffer(bytes)
        }
    }

    /// Accepts the end of the bytes, which fails the connection if the server has not announced it.
    package func receiveEnd() {
        guard state != .ended, !isInputClosed else { return }
        fail(state == .handshaking ? .closed : .truncated)
    }

    /// Continues, and returns the next event; `nil` if the connection waits for bytes or for an answer.
    package func next() -> TLSEvent? {
        while true {
            if let event = takeEvent() { return event }
            guard !isWaiting else { return nil }
            switch state {
            case .handshaking:
                guard !needsInput else { return nil }
                take(library.handshake())
            case .open:
                guard !needsInput, !isInputClosed else { return nil }
                guard let bytes = decrypt() else { break }
                // The receiver may close the connection, which discards the events after the data.
                let sessions = library.wire.events.prefix { if case .sessionReceived = $0 { true } else { false } }
                guard !sessions.isEmpty else { return .received(bytes) }
                library.wire.events.insert(.received(bytes), at: sessions.count)
            case .ended:
                return nil
            }
        }
    }

    private func takeEvent() -> TLSEvent? {
        guard !library.wire.events.isEmpty else { return nil }
        let event = library.wire.events.removeFirst()
        // An idle connection has no storage for events.
        if library.wire.events.isEmpty { library.wire.events = [] }
        return event
    }

    /// Decrypts as much as fits into a buffer of the input's size; `nil` if there is no data.
    private func decrypt() -> ByteBuffer? {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(max(pendingInput + library.decryptedCount, 1_024))
        let earlierOutput = outputCount
        var step = TLSStep.done
        while step == .done, bytes.writableBytes > 0 { step = library.read(into: &bytes) }
        take(step)
        guard bytes.readableBytes == 0 else {
            answerCount = 0
            return bytes
        }
        answerCount += outputCount - earlierOutput
        if state == .open, answerCount > Self.answerLimit { fail("TOO_MANY_KEY_UPDATES") }
        return nil
    }

    private func take(_ step: TLSStep) {
        switch step {
        case .done where state == .handshaking: completeHandshake()
        case .done: break
        case .blocked: needsInput = !isWaiting
        case .closed where state == .handshaking: fail(.closed)
        case .closed:
            isInputClosed = true
            // Bytes after close_notify are ignored (RFC 8446 section 6.1).
            library.wire.input = ByteBuffer()
            library.wire.events.append(.inputClosed)
        case .failed(let reason): fail(reason)
        }
    }

    private func completeHandshake() {
        guard let facts = library.facts else { return fail("NO_FACTS") }
        // OpenSSL before 3.0.15 accepts every protocol.
        guard facts.applicationProtocol.map(applicationProtocols.contains) ?? true else {
            return fail("INVALID_ALPN_PROTOCOL")
        }
        state = .open
        library.wire.phase = facts.version < .tls13 ? .renegotiation : .postHandshake
        // HTTP/2 forbids renegotiation (RFC 9113 section 9.2.1).
        if facts.version > .tls12 || facts.applicationProtocol == "h2" { library.forbidRenegotiation() }
        library.wire.events.append(.handshakeCompleted(facts))
    }

    private func fail(_ reason: String) {
        let wire = library.wire
        if let received = wire.receivedAlert {
            fail(.received(received))
        } else if wire.sentAlert == .noRenegotiation {
            fail(.renegotiationRefused)
        } else {
            fail(.violation(reason: reason, sent: wire.sentAlert))
        }
    }

    private func fail(_ failure: TLSFailure) {
        end()
        // OpenSSL may ask, and read an alert, in the same call.
        library.wire.events.removeAll(where: \.isQuestion)
        library.wire.events.append(.failed(failure))
    }

    /// Releases the input, and accepts no more.
    private func end() {
        state = .ended
        library.wire.isWaiting = false
        library.wire.input = ByteBuffer()
        plaintext = ByteBuffer()
    }

    /// Abandons the connection without another event.
    package func abandon() {
        end()
        library.wire.events = []
    }

    // MARK: Answers

    /// Trusts the server.
    package func approveServer() { answer { library.approveServer() } }

    /// Presents an identity, or none.
    package func use(_ identity: TLSIdentity?) {
        answer {
            do throws(TLSFailure) {
                try library.use(identity)
            } catch {
                library.refuse(.internalError)
                fail(error)
            }
        }
    }

    /// Supplies a requested signature.
    package func use(signature: [UInt8]) { answer { library.use(signature: signature) } }

    /// Declines a question, and ends the connection with an alert.
    package func refuse(_ alert: TLSAlert) {
        answer {
            library.refuse(alert)
            fail(.refused(alert))
        }
    }

    /// Passes on the answer to a question; an answer after the end of the connection is ignored.
    private func answer(_ pass: () -> Void) {
        guard isWaiting else { return }
        (library.wire.isWaiting, needsInput) = (false, false)
        pass()
    }

    // MARK: Bytes to the server

    /// Whether bytes can be sent, which is not so during a handshake or a renegotiation.
    package var canSend: Bool { state == .open && !isWaiting && !library.isHandshaking }

    /// The number of bytes for the server that were not taken.
    package var outputCount: Int { library.wire.output.readableBytes }

    /// Encrypts bytes, except the last ones if they do not fill a record; requires ``canSend``.
    package func send(_ bytes: ByteBuffer) {
        var bytes = bytes
        if plaintext.readableBytes > 0 {
            if let start = bytes.readSlice(length: min(bytes.readableBytes, limit - plaintext.readableBytes)) {
                plaintext.writeImmutableBuffer(start)
            }
            guard plaintext.readableBytes >= limit else { return }
            flush()
        }
        plaintext = bytes
        reserveOutput()
        while plaintext.readableBytes >= limit { encrypt(limit) }
    }

    /// Encrypts the bytes that do not fill a record.
    package func flush() {
        reserveOutput()
        while plaintext.readableBytes > 0 { encrypt(min(plaintext.readableBytes, limit)) }
        plaintext = ByteBuffer()
    }

    /// The maximum length of the next record, in bytes.
    private var limit: Int { sentCount < Self.firstFlight ? Self.firstRecordLimit : Self.recordLimit }

    /// Makes room for the encrypted bytes, so that the buffer is not copied while it grows.
    private func reserveOutput() {
        let count = plaintext.readableBytes
        guard count > 0 else { return }
        library.wire.output.reserveCapacity(minimumWritableBytes: count + (count / limit + 1) * 64)
    }

    private func encrypt(_ count: Int) {
        guard state == .open, let record = plaintext.readSlice(length: count) else {
            return plaintext = ByteBuffer()
        }
        if sentCount < Self.firstFlight { sentCount += count }
        let step = record.withUnsafeReadableBytes { library.write($0) }
        switch step {
        case .done: break
        case .failed(let reason): fail(reason)
        case .blocked, .closed: fail("UNEXPECTED_\(step)".uppercased())
        }
    }

    /// Returns the bytes for the server; `nil` if there are none.
    package func takeOutput() -> ByteBuffer? {
        guard library.wire.output.readableBytes > 0 else { return nil }
        let output = library.wire.output
        library.wire.output = ByteBuffer()
        return output
    }

    /// Encrypts all bytes, sends close_notify, and abandons the connection.
    package func close() {
        if canSend { flush() }
        if state == .open { library.close() }
        abandon()
    }

    /// Derives a secret of the connection (RFC 5705, RFC 8446 section 7.5).
    ///
    /// - Parameters:
    ///   - label: The label, in ASCII.
    ///   - context: The context; `nil` for none, which differs from an empty one in TLS 1.2.
    ///   - length: The length of the secret in bytes.
    /// - Returns: The secret; `nil` if the handshake is not complete.
    package func exportSecret(label: String, context: [UInt8]? = nil, length: Int) -> [UInt8]? {
        library.exportSecret(label: label, context: context, length: length)
    }
}
