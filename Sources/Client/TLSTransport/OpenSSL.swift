// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if OpenSSL
    import COpenSSLShim
    import Crypto
    import EssentialFoundation
    import Identities
    import NIOCore
    import Secrets

    /// A client's connection in the system's OpenSSL.
    ///
    /// OpenSSL asks for a decision on the server before it has a staple of TLS 1.2, and not at all in a resumption. It
    /// therefore completes its part of the handshake, and the bytes for the server wait for the decision. It has no
    /// function for alerts either, so the alert of a refusal is encoded here.
    final class OpenSSLConnection: TLSLibraryConnection {
        private enum Trust {
            case unknown
            case requested
            case approved
        }

        /// The first version without the endless loop in a certificate's curve of CVE-2022-0778.
        private static let minimumVersion: CUnsignedLong = 0x3000_0020
        /// The time after the server's signature until which sessions are resumed without another one, in seconds: a week
        /// (RFC 8446 section 4.6.1), as with BoringSSL.
        private static let originLifetime: UInt64 = 604_800

        var wire = TLSWire()
        private let connection: OpaquePointer
        private var trust = Trust.unknown
        /// The bytes for the server until it is trusted.
        private var withheld = ByteBuffer()
        private var credentials: TLSServerCredentials?
        private var timestamps: [UInt8]?
        /// The session that was offered.
        private var session: TLSSession?
        private var hasIdentityAnswer = false
        private var isRefused = false
        /// Whether an identity was requested after the first handshake, so that a session may depend on it.
        private var isReauthenticated = false
        private var handshakeCount = 0
        /// The client_handshake_traffic_secret of TLS 1.3 during the handshake.
        private var handshakeSecret: SymmetricKey?

        init(_ settings: TLSClientSettings) throws(TLSFailure) {
            guard Self.isAvailable else { throw .unavailable(.openSSL, version: Self.version) }
            let protocols = settings.applicationProtocols.flatMap { [UInt8(clamping: $0.utf8.count)] + $0.utf8 }
            let context = try Self.context(settings).get()
            guard
                let connection = copenssl_new(
                    context, settings.serverName, protocols, protocols.count, settings.versions.lowerBound.rawValue,
                    settings.versions.upperBound.rawValue)
            else { throw .unusableSettings(reason: Self.takeReason()) }
            self.connection = connection
            copenssl_set_owner(connection, Unmanaged.passUnretained(self).toOpaque())
            // HTTP/2 forbids post-handshake authentication (RFC 9113 section 9.2.3).
            if !settings.applicationProtocols.contains("h2") { copenssl_allow_late_authentication(connection) }
        }

        deinit { copenssl_free(connection) }

        /// Returns the name of the first error in the thread's queue, and empties the queue.
        private static func takeReason() -> String {
            guard let reason = copenssl_reason() else { return "UNKNOWN" }
            return String(String(cString: reason).uppercased().map { $0 == " " ? "_" : $0 })
        }

        // MARK: Calls

        var isHandshaking: Bool { copenssl_is_handshaking(connection) != 0 }

        var decryptedCount: Int { copenssl_pending(connection) }

        func resume(_ session: TLSSession) {
            if copenssl_resume(connection, session.object) == 1 { self.session = session }
        }

        func handshake() -> TLSStep {
            let step = step(copenssl_handshake(connection))
            if case .failed = step { release() }
            guard step == .done else { return step }
            requestVerification()
            guard trust == .approved else { return .blocked }
            handshakeSecret = nil
            return .done
        }

        func read(into buffer: inout ByteBuffer) -> TLSStep {
            var result: CInt = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { space in
                result = copenssl_read(connection, space.baseAddress, space.count)
                return max(0, Int(result))
            }
            // OpenSSL continues after it has declined a renegotiation, but the server does not respond.
            if wire.sentAlert == .noRenegotiation { return .failed(reason: "NO_RENEGOTIATION") }
            return step(result)
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> TLSStep {
            step(copenssl_write(connection, bytes.baseAddress, bytes.count))
        }

        func close() { copenssl_shutdown(connection) }

        func forbidRenegotiation() { copenssl_forbid_renegotiation(connection) }

        private func step(_ result: CInt) -> TLSStep {
            if result > 0 { return .done }
            return switch Int(result) {
            case COPENSSL_BLOCKED: .blocked
            case COPENSSL_CLOSED: .closed
            default: .failed(reason: Self.takeReason())
            }
        }

        /// Passes on the bytes that were withheld.
        private func release() {
            wire.output.writeBuffer(&withheld)
            withheld = ByteBuffer()
        }

        // MARK: Properties

        var facts: TLSConnectionFacts? {
            let facts = copenssl_get_facts(connection)
            guard let version = TLSProtocolVersion(rawValue: facts.version), let suite = facts.suite else { return nil }
            let name = UnsafeBufferPointer(start: facts.protocol, count: Int(facts.protocol_length))
            let isResumed = facts.is_resumed != 0
            return TLSConnectionFacts(
                version: version, cipherSuite: String(cString: suite),
                group: facts.group == 0 ? nil : TLSGroup(rawValue: facts.group),
                signatureScheme: isResumed
                    ? session?.origin?.signatureScheme
                    : facts.scheme == 0 ? nil : TLSSignatureScheme(rawValue: facts.scheme),
                applicationProtocol: name.isEmpty ? nil : String(decoding: name, as: UTF8.self), isResumed: isResumed)
        }

        /// Returns the elements that a function passes on.
        private func elements(
            _ function: (OpaquePointer?, UnsafeMutableRawPointer?, @escaping copenssl_element) -> Void
        ) -> [[UInt8]] {
            var elements: [[UInt8]] = []
            withUnsafeMutablePointer(to: &elements) { list in
                function(connection, list) { list, start, count in
                    list?.assumingMemoryBound(to: [[UInt8]].self).pointee
                        .append(Array(UnsafeBufferPointer(start: start, count: count)))
                }
            }
            return elements
        }

        private var staple: [UInt8]? {
            var start: UnsafePointer<UInt8>?
            let count = copenssl_staple(connection, &start)
            return count == 0 ? nil : Array(UnsafeBufferPointer(start: start, count: count))
        }

        /// The credentials in this handshake, or in the first one of a session.
        private var presentedCredentials: TLSServerCredentials {
            let facts = facts
            let first = facts?.isResumed == true ? session?.origin?.credentials : nil
            return TLSServerCredentials(
                chain: first?.chain ?? elements(copenssl_certificates), staple: first?.staple ?? staple,
                timestamps: first?.timestamps ?? timestamps, facts: facts)
        }

        private var identityRequest: TLSIdentityRequest {
            var schemes: [TLSSignatureScheme] = []
            while case let number = copenssl_scheme(connection, CInt(schemes.count)), number != 0 {
                schemes.append(TLSSignatureScheme(rawValue: number))
            }
            let version = TLSProtocolVersion(rawValue: copenssl_get_facts(connection).version)
            var types: UnsafePointer<UInt8>?
            let count = copenssl_certificate_types(connection, &types)
            return TLSIdentityRequest(
                phase: wire.phase, version: version ?? .tls12, issuers: elements(copenssl_issuers),
                signatureSchemes: schemes, certificateTypes: Array(UnsafeBufferPointer(start: types, count: count)))
        }

        func exportSecret(label: String, context: [UInt8]?, length: Int) -> [UInt8]? {
            guard trust == .approved else { return nil }
            var secret = [UInt8](repeating: 0, count: length)
            let result = copenssl_export(
                connection, &secret, length, label, label.utf8.count, context, context?.count ?? 0,
                context == nil ? 0 : 1)
            return result == 1 ? secret : nil
        }
    }

    // MARK: - Answers

    extension OpenSSLConnection {
        func approveServer() {
            trust = .approved
            release()
        }

        func use(_ identity: TLSIdentity?) throws(TLSFailure) {
            hasIdentityAnswer = true
            let chain = identity?.chain.flatMap { $0 } ?? []
            var result: CInt = 0
            switch identity?.key {
            case nil:
                result = copenssl_set_identity(connection, nil, 0, nil, 0)
            case .encoded(let secret):
                result = secret.withUnsafeBytes { key in
                    copenssl_set_identity(
                        connection, chain, chain.count, key.bindMemory(to: UInt8.self).baseAddress, key.count)
                }
            case .signer:
                // OpenSSL has no key operation that may wait.
                throw .heldKey
            }
            guard result == 1 else { throw .unusableIdentity(reason: Self.takeReason()) }
        }

        func use(signature: [UInt8]) {}

        func refuse(_ alert: TLSAlert) {
            isRefused = true
            withheld = ByteBuffer()
            // After the handshake, OpenSSL now sends internal_error; in it, OpenSSL derives the key for the alert.
            if wire.phase != .handshake || handshakeSecret == nil { _ = copenssl_handshake(connection) }
            guard wire.phase == .handshake, let record = record(of: alert) else { return }
            wire.output.writeBytes(record)
            wire.note(alert, isSent: true, isFatal: true)
        }

        /// Encodes the first record of the client after the ClientHello, if possible.
        private func record(of alert: TLSAlert) -> [UInt8]? {
            let content = [2, alert.rawValue]
            let version = copenssl_get_facts(connection).version
            guard version > TLSProtocolVersion.tls12.rawValue else {
                return [21, UInt8(version >> 8), UInt8(version & 0xff), 0, 2] + content
            }
            guard let secret = handshakeSecret, let suite = facts?.cipherSuite else { return nil }
            let is384 = suite.hasSuffix("SHA384")
            // HKDF-Expand-Label of RFC 8446 section 7.1.
            func derive(_ label: String, _ count: Int) -> SymmetricKey {
                let info = [0, UInt8(count), UInt8(6 + label.utf8.count)] + Array("tls13 \(label)".utf8) + [0]
                return is384
                    ? HKDF<SHA384>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
                    : HKDF<SHA256>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
            }
            // The nonce of the first record is the initialization vector (section 5.3).
            let nonce = derive("iv", 12).withUnsafeBytes { Array($0) }
            let header: [UInt8] = [23, 3, 3, 0, UInt8(content.count + 1 + 16)]
            let plaintext = content + [21]
            if suite == "TLS_CHACHA20_POLY1305_SHA256" {
                guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
                    let box = try? ChaChaPoly.seal(
                        plaintext, using: derive("key", 32), nonce: nonce, authenticating: header)
                else { return nil }
                return header + box.ciphertext + box.tag
            }
            guard suite.contains("_GCM_"), let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(
                    plaintext, using: derive("key", is384 ? 32 : 16), nonce: nonce, authenticating: header)
            else { return nil }
            return header + box.ciphertext + box.tag
        }
    }

    // MARK: - The library

    extension OpenSSLConnection {
        private static let versionNumber = copenssl_version()

        /// The version of the installed library, such as `3.0.2`; `nil` if none is installed.
        static var version: String? {
            let number = versionNumber
            return number == 0 ? nil : "\(number >> 28).\(number >> 20 & 0xff).\(number >> 4 & 0xff)"
        }

        /// Whether the installed library is recent enough.
        static let isAvailable: Bool = versionNumber >= minimumVersion && isStarted

        private typealias Context = Result<OpaquePointer, TLSFailure>

        private static func context(_ settings: TLSClientSettings) -> Context {
            settings.usesSystemConfiguration ? configured : settings.allowsLegacy ? legacy : standard
        }

        // The contexts of all connections, which OpenSSL locks.
        nonisolated(unsafe) private static let standard = makeContext(COPENSSL_STANDARD)
        nonisolated(unsafe) private static let legacy = makeContext(COPENSSL_LEGACY)
        nonisolated(unsafe) private static let configured: Context = {
            // The section of TLS in a configuration affects all contexts that are created after it was read.
            _ = (standard, legacy)
            return makeContext(COPENSSL_CONFIGURED)
        }()

        private static func makeContext(_ kind: copenssl_rules) -> Context {
            copenssl_context_new(kind).map(Result.success) ?? .failure(.unusableSettings(reason: takeReason()))
        }

        private static let isStarted: Bool = {
            var callbacks = copenssl_callbacks(
                read: { owner, space, count in connection(owner).wire.readInput(into: space, count) },
                write: { owner, bytes, count in
                    let connection = connection(owner)
                    let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                    if connection.isRefused, connection.wire.phase == .handshake { return }
                    if connection.isWithholding {
                        connection.withheld.writeBytes(bytes)
                    } else {
                        connection.wire.output.writeBytes(bytes)
                    }
                },
                timestamps_received: { owner, bytes, count in
                    connection(owner).timestamps = Array(UnsafeBufferPointer(start: bytes, count: count))
                },
                flight_received: { connection($0).requestVerification() },
                identity_requested: { connection($0).requestIdentity() },
                session_received: { connection($0).receive($1) ? 1 : 0 },
                handshake_ended: { connection($0).endHandshake() },
                alert: { owner, number, isSent, isFatal in
                    let alert = TLSAlert(rawValue: number)
                    connection(owner).wire.note(
                        alert, isSent: isSent != 0, isFatal: isFatal != 0 || (isSent != 0 && alert == .noRenegotiation))
                },
                secret: { owner, bytes, count in
                    connection(owner).handshakeSecret = SymmetricKey(
                        data: UnsafeBufferPointer(start: bytes, count: count))
                })
            return copenssl_start(&callbacks) == 1
        }()

        /// Returns the connection that a callback concerns.
        private static func connection(_ owner: UnsafeMutableRawPointer?) -> OpenSSLConnection {
            guard let owner else { preconditionFailure("The callback belongs to no connection of this module.") }
            return Unmanaged.fromOpaque(owner).takeUnretainedValue()
        }
    }

    // MARK: - Callbacks

    extension OpenSSLConnection {
        /// Whether bytes for the server wait for the decision on it.
        private var isWithholding: Bool {
            switch trust {
            case .unknown: copenssl_get_facts(connection).is_resumed != 0
            case .requested: true
            case .approved: false
            }
        }

        private func requestVerification() {
            guard trust == .unknown else { return }
            trust = .requested
            let credentials = presentedCredentials
            self.credentials = credentials
            wire.ask(.verificationRequested(credentials))
        }

        private func requestIdentity() -> CInt {
            if isRefused { return wire.phase == .handshake ? 1 : 0 }
            requestVerification()
            guard trust == .approved else { return -1 }
            if hasIdentityAnswer {
                hasIdentityAnswer = false
                return 1
            }
            isReauthenticated = wire.phase != .handshake
            wire.ask(.identityRequested(identityRequest))
            return -1
        }

        /// Returns whether the session is stored.
        private func receive(_ session: OpaquePointer?) -> Bool {
            guard let session, let credentials, trust == .approved, wire.phase != .renegotiation, !isReauthenticated
            else {
                return false
            }
            let first = credentials.isResumption ? self.session?.origin?.end : nil
            let end = first ?? UInt64(max(0, Date().timeIntervalSince1970)) + Self.originLifetime
            wire.events.append(
                .sessionReceived(
                    TLSSession(
                        session, of: .openSSL, isSingleUse: copenssl_session_is_single_use(session) != 0,
                        expiry: min(copenssl_session_expiry(session), end),
                        origin: TLSSession.Origin(
                            credentials: credentials, signatureScheme: facts?.signatureScheme, end: end),
                        release: { copenssl_session_free($0) })))
            return true
        }

        private func endHandshake() {
            handshakeCount += 1
            // A server may renegotiate once.
            if handshakeCount == 2 { copenssl_forbid_renegotiation(connection) }
        }
    }
#endif
