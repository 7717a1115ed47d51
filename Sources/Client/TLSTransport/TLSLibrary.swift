// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

/// A TLS library.
@nonexhaustive
public enum TLSLibrary: String, Encodable, CaseIterable, Sendable {
    /// The BoringSSL of swift-nio-ssl, which is part of every build.
    case boringSSL = "boringssl"
    /// The system's OpenSSL 3.0.2 or later, by the trait OpenSSL.
    case openSSL = "openssl"

    /// The name of the library.
    public var name: String {
        switch self {
        case .boringSSL: "BoringSSL"
        case .openSSL: "OpenSSL"
        }
    }

    /// Whether this build can use the library, and the system has a version that is recent enough.
    public var isAvailable: Bool {
        switch self {
        case .boringSSL: true
        case .openSSL:
            #if OpenSSL
                OpenSSLConnection.isAvailable
            #else
                false
            #endif
        }
    }

    /// Creates a connection.
    func connection(_ settings: TLSClientSettings) throws(TLSFailure) -> any TLSLibraryConnection {
        guard settings.allowsLegacy || settings.versions.lowerBound >= .tls12 else {
            throw .unusableSettings(reason: "LEGACY_VERSION")
        }
        switch self {
        case .boringSSL:
            guard !settings.allowsLegacy, !settings.usesSystemConfiguration else {
                throw .unusableSettings(reason: "NEEDS_OPENSSL")
            }
            return try BoringSSLConnection(settings)
        case .openSSL:
            #if OpenSSL
                return try OpenSSLConnection(settings)
            #else
                throw .unavailable(.openSSL, version: nil)
            #endif
        }
    }
}

/// A client's connection in a TLS library.
///
/// The library never waits: it reads from ``TLSWire/input``, writes to ``TLSWire/output``, and puts its questions into
/// ``TLSWire/events``. The engine answers a question after the call that asked it has returned, and then repeats the
/// call, so that the library is never entered twice.
protocol TLSLibraryConnection: AnyObject {
    var wire: TLSWire { get set }
    /// Whether a handshake is in progress.
    var isHandshaking: Bool { get }
    /// The number of decrypted bytes that were not read.
    var decryptedCount: Int { get }
    /// The properties of the last complete handshake.
    var facts: TLSConnectionFacts? { get }

    /// Offers a session; called before the handshake.
    func resume(_ session: TLSSession)
    /// Continues the handshake; ``TLSStep/done`` means that it is complete.
    func handshake() -> TLSStep
    /// Decrypts bytes of at most one record into the space of the buffer, which is not empty.
    func read(into buffer: inout ByteBuffer) -> TLSStep
    /// Encrypts one record.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSStep
    /// Sends close_notify.
    func close()
    /// Ends a handshake with an alert.
    func refuse(_ alert: TLSAlert)
    /// Does not allow renegotiation from now on.
    func forbidRenegotiation()
    /// Derives a secret of the connection (RFC 5705, RFC 8446 section 7.5); `nil` if the handshake is not complete.
    func exportSecret(label: String, context: [UInt8]?, length: Int) -> [UInt8]?

    /// Answers ``TLSEvent/verificationRequested(_:)``.
    func approveServer()
    /// Answers ``TLSEvent/identityRequested(_:)``.
    func use(_ identity: TLSIdentity?) throws(TLSFailure)
    /// Answers ``TLSEvent/signatureRequested(_:_:)``.
    func use(signature: [UInt8])
}

/// The result of a call to a TLS library.
enum TLSStep: Equatable {
    case done
    /// The library needs input or an answer.
    case blocked
    /// The server has sent close_notify.
    case closed
    /// The connection cannot continue, for a reason that has the library's name.
    case failed(reason: String)
}

/// The buffers and events between an engine and its library.
struct TLSWire {
    /// The bytes from the server that the library has not read.
    var input = ByteBuffer()
    /// The bytes for the server.
    var output = ByteBuffer()
    /// The events that the engine has not reported.
    var events: [TLSEvent] = []
    /// Whether a question has no answer.
    var isWaiting = false
    /// The phase of the connection.
    var phase = TLSIdentityRequest.Phase.handshake
    /// The fatal alert from the server.
    var receivedAlert: TLSAlert?
    /// The fatal alert that was sent.
    var sentAlert: TLSAlert?

    /// Moves bytes from the server into a library's space.
    ///
    /// - Returns: The number of bytes; 0 if there are none.
    mutating func readInput(into space: UnsafeMutableRawPointer?, _ limit: Int) -> Int {
        let count = input.readWithUnsafeReadableBytes { bytes in
            let count = min(limit, bytes.count)
            UnsafeMutableRawBufferPointer(start: space, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
            return count
        }
        // An idle connection has no input buffer.
        if input.readableBytes == 0 { input = ByteBuffer() }
        return count
    }

    /// Asks a question, which blocks the connection until it has an answer.
    mutating func ask(_ question: TLSEvent) {
        isWaiting = true
        events.append(question)
    }

    /// Notes a fatal alert; others have no consequence.
    mutating func note(_ alert: TLSAlert, isSent: Bool, isFatal: Bool) {
        guard isFatal, alert != .closeNotify else { return }
        if isSent { sentAlert = alert } else { receivedAlert = alert }
    }
}
