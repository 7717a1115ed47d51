// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CNIOBoringSSL
import Identities
import NIOCore
import Secrets

/// A client's connection in the BoringSSL of swift-nio-ssl.
///
/// No other file of a client uses BoringSSL. The module is not a product of swift-nio-ssl, so any release may change it;
/// the import makes a changed declaration an error of the compiler.
final class BoringSSLConnection: TLSLibraryConnection {
    var wire = TLSWire()
    private let ssl: OpaquePointer
    // The answers, each of which a callback takes when the call that asked is repeated.
    private var isServerApproved = false
    private var hasIdentityAnswer = false
    private var signature: [UInt8]?

    init(_ settings: TLSClientSettings) throws(TLSFailure) {
        guard let context = Self.context, let ssl = SSL_new(context) else { throw Self.unusableSettings }
        self.ssl = ssl
        guard let bio = BIO_new(Self.method) else { throw Self.unusableSettings }
        let reference = Unmanaged.passUnretained(self).toOpaque()
        BIO_set_data(bio, reference)
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, reference)
        SSL_set_connect_state(ssl)
        SSL_set_shed_handshake_config(ssl, 1)
        SSL_set_renegotiate_mode(ssl, ssl_renegotiate_once)
        let protocols = settings.applicationProtocols.flatMap { [UInt8(clamping: $0.utf8.count)] + $0.utf8 }
        guard SSL_set_min_proto_version(ssl, settings.versions.lowerBound.rawValue) == 1,
            SSL_set_max_proto_version(ssl, settings.versions.upperBound.rawValue) == 1,
            settings.serverName.map({ SSL_set_tlsext_host_name(ssl, $0) == 1 }) ?? true,
            // This function returns zero if it succeeds.
            SSL_set_alpn_protos(ssl, protocols, protocols.count) == 0
        else { throw Self.unusableSettings }
    }

    deinit { SSL_free(ssl) }

    private static var unusableSettings: TLSFailure { .unusableSettings(reason: takeReason()) }

    /// Returns the name of the first error in the thread's queue, and empties the queue.
    private static func takeReason() -> String {
        let error = ERR_peek_error()
        defer { ERR_clear_error() }
        if let name = ERR_reason_symbol_name(error) { return String(cString: name) }
        return error == 0 ? "UNKNOWN" : "REASON_\(error & 0xfff)"
    }

    // MARK: Calls

    var isHandshaking: Bool { SSL_in_init(ssl) == 1 }

    var decryptedCount: Int { Int(SSL_pending(ssl)) }

    func resume(_ session: TLSSession) { SSL_set_session(ssl, session.object) }

    func handshake() -> TLSStep {
        let result = step(SSL_do_handshake(ssl))
        // A renegotiation without RFC 5746 is not bound to the connection (its section 4.2).
        if result == .done, SSL_get_secure_renegotiation_support(ssl) == 0 { forbidRenegotiation() }
        return result
    }

    func read(into buffer: inout ByteBuffer) -> TLSStep {
        var result: CInt = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { space in
            result = SSL_read(ssl, space.baseAddress, CInt(clamping: space.count))
            return max(0, Int(result))
        }
        return step(result)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TLSStep {
        step(SSL_write(ssl, bytes.baseAddress, CInt(clamping: bytes.count)))
    }

    func close() { _ = SSL_shutdown(ssl) }

    func refuse(_ alert: TLSAlert) { _ = SSL_send_fatal_alert(ssl, alert.rawValue) }

    func forbidRenegotiation() { SSL_set_renegotiate_mode(ssl, ssl_renegotiate_never) }

    private func step(_ result: CInt) -> TLSStep {
        if result > 0 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_CERTIFICATE_VERIFY, SSL_ERROR_WANT_X509_LOOKUP,
            SSL_ERROR_WANT_PRIVATE_KEY_OPERATION:
            return .blocked
        case SSL_ERROR_ZERO_RETURN:
            return .closed
        default:
            return .failed(reason: Self.takeReason())
        }
    }

    // MARK: Properties

    var facts: TLSConnectionFacts? {
        guard let version, let cipher = SSL_get_current_cipher(ssl), let name = SSL_CIPHER_standard_name(cipher)
        else { return nil }
        let (group, scheme) = (SSL_get_group_id(ssl), SSL_get_peer_signature_algorithm(ssl))
        return TLSConnectionFacts(
            version: version, cipherSuite: String(cString: name), group: group == 0 ? nil : TLSGroup(rawValue: group),
            signatureScheme: scheme == 0 ? nil : TLSSignatureScheme(rawValue: scheme),
            applicationProtocol: applicationProtocol,
            isResumed: SSL_session_reused(ssl) == 1)
    }

    private var version: TLSProtocolVersion? { TLSProtocolVersion(rawValue: UInt16(clamping: SSL_version(ssl))) }

    private var applicationProtocol: String? {
        var (start, count): (UnsafePointer<UInt8>?, CUnsignedInt) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &start, &count)
        return count == 0 ? nil : String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Returns the bytes that a function of BoringSSL points to; `nil` if there are none.
    private func bytes(
        _ function: (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int>) -> Void
    ) -> [UInt8]? {
        var (start, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        function(ssl, &start, &count)
        return count == 0 ? nil : Array(UnsafeBufferPointer(start: start, count: count))
    }

    private var credentials: TLSServerCredentials {
        TLSServerCredentials(
            chain: bufferContents(SSL_get0_peer_certificates(ssl)), staple: bytes(SSL_get0_ocsp_response),
            timestamps: bytes(SSL_get0_signed_cert_timestamp_list), facts: facts)
    }

    private var identityRequest: TLSIdentityRequest {
        var (schemes, types): (UnsafePointer<UInt16>?, UnsafePointer<UInt8>?)
        let count = SSL_get0_peer_verify_algorithms(ssl, &schemes)
        let typeCount = SSL_get0_certificate_types(ssl, &types)
        return TLSIdentityRequest(
            phase: wire.phase, version: version ?? .tls12,
            issuers: bufferContents(SSL_get0_server_requested_CAs(ssl)),
            signatureSchemes: UnsafeBufferPointer(start: schemes, count: count).map(TLSSignatureScheme.init),
            certificateTypes: Array(UnsafeBufferPointer(start: types, count: typeCount)))
    }

    func exportSecret(label: String, context: [UInt8]?, length: Int) -> [UInt8]? {
        var secret = [UInt8](repeating: 0, count: length)
        let result = SSL_export_keying_material(
            ssl, &secret, length, label, label.utf8.count, context, context?.count ?? 0, context == nil ? 0 : 1)
        ERR_clear_error()
        return result == 1 ? secret : nil
    }
}

/// Returns the contents of a stack of BoringSSL's buffers.
package func bufferContents(_ stack: OpaquePointer?) -> [[UInt8]] {
    guard let stack else { return [] }
    return (0..<sk_CRYPTO_BUFFER_num(stack)).map { index in
        let buffer = sk_CRYPTO_BUFFER_value(stack, index)
        return Array(UnsafeBufferPointer(start: CRYPTO_BUFFER_data(buffer), count: CRYPTO_BUFFER_len(buffer)))
    }
}

// MARK: - Answers

extension BoringSSLConnection {
    func approveServer() { isServerApproved = true }

    func use(_ identity: TLSIdentity?) throws(TLSFailure) {
        hasIdentityAnswer = true
        SSL_certs_clear(ssl)
        guard let identity else { return }
        let chain = identity.chain.map { CRYPTO_BUFFER_new($0, $0.count, Self.pool) }
        defer { chain.forEach(CRYPTO_BUFFER_free) }
        let isUsable: Bool
        switch identity.key {
        case .encoded(let secret):
            let key = secret.withUnsafeBytes { bytes in
                var start = bytes.bindMemory(to: UInt8.self).baseAddress
                return d2i_AutoPrivateKey(nil, &start, bytes.count)
            }
            defer { EVP_PKEY_free(key) }
            isUsable = key != nil && SSL_set_chain_and_key(ssl, chain, chain.count, key, nil) == 1
        case .signer(let signer):
            let schemes = signer.schemes.map(\.rawValue)
            // BoringSSL takes an empty list for its default list.
            guard !schemes.isEmpty else { throw .unusableIdentity(reason: "NO_COMMON_SIGNATURE_ALGORITHMS") }
            isUsable =
                SSL_set_chain_and_key(ssl, chain, chain.count, nil, Self.keyMethod) == 1
                && SSL_set_signing_algorithm_prefs(ssl, schemes, schemes.count) == 1
        }
        guard isUsable else { throw .unusableIdentity(reason: Self.takeReason()) }
    }

    func use(signature: [UInt8]) { self.signature = signature }
}

// MARK: - Callbacks

extension BoringSSLConnection {
    // These objects are initialized once, and not changed later; BoringSSL locks the pool and the context.

    /// The certificates of all connections, so that equal ones share their memory.
    nonisolated(unsafe) private static let pool = CRYPTO_BUFFER_POOL_new()

    /// The context of all connections; `nil` if memory is exhausted.
    nonisolated(unsafe) private static let context: OpaquePointer? = {
        guard let context = SSL_CTX_new(TLS_with_buffers_method()) else { return nil }
        let groups = [
            SSL_GROUP_X25519_MLKEM768, SSL_GROUP_X25519, SSL_GROUP_SECP256R1, SSL_GROUP_SECP384R1, SSL_GROUP_SECP521R1,
        ].map(UInt16.init)
        // BoringSSL's list without SHA-1 (RFC 9155), and with P-521 and Ed25519.
        let schemes = [
            SSL_SIGN_ECDSA_SECP256R1_SHA256, SSL_SIGN_RSA_PSS_RSAE_SHA256, SSL_SIGN_RSA_PKCS1_SHA256,
            SSL_SIGN_ECDSA_SECP384R1_SHA384, SSL_SIGN_RSA_PSS_RSAE_SHA384, SSL_SIGN_RSA_PKCS1_SHA384,
            SSL_SIGN_ECDSA_SECP521R1_SHA512, SSL_SIGN_RSA_PSS_RSAE_SHA512, SSL_SIGN_RSA_PKCS1_SHA512, SSL_SIGN_ED25519,
        ].map(UInt16.init)
        guard SSL_CTX_set1_group_ids(context, groups, groups.count) == 1,
            SSL_CTX_set_verify_algorithm_prefs(context, schemes, schemes.count) == 1
        else { return nil }
        SSL_CTX_set0_buffer_pool(context, pool)
        SSL_CTX_enable_ocsp_stapling(context)
        SSL_CTX_enable_signed_cert_timestamps(context)
        SSL_CTX_set_reverify_on_resume(context, 1)
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT)
        SSL_CTX_set_custom_verify(context, SSL_VERIFY_PEER) { ssl, _ in
            let connection = connection(of: ssl)
            if connection.isServerApproved {
                connection.isServerApproved = false
                return ssl_verify_ok
            }
            connection.wire.ask(.verificationRequested(connection.credentials))
            return ssl_verify_retry
        }
        SSL_CTX_set_cert_cb(
            context,
            { ssl, _ in
                let connection = connection(of: ssl)
                if connection.hasIdentityAnswer {
                    connection.hasIdentityAnswer = false
                    return 1
                }
                connection.wire.ask(.identityRequested(connection.identityRequest))
                return -1
            }, nil)
        SSL_CTX_sess_set_new_cb(context) { ssl, session in
            guard let session else { return 0 }
            connection(of: ssl).wire.events.append(
                .sessionReceived(
                    TLSSession(
                        session, of: .boringSSL, isSingleUse: SSL_SESSION_should_be_single_use(session) == 1,
                        expiry: SSL_SESSION_get_time(session) + UInt64(SSL_SESSION_get_timeout(session)),
                        release: { SSL_SESSION_free($0) })))
            return 1
        }
        SSL_CTX_set_info_callback(context) { ssl, type, value in
            guard type & SSL_CB_ALERT != 0 else { return }
            connection(of: ssl).wire.note(
                TLSAlert(rawValue: UInt8(value & 0xff)), isSent: type & SSL_CB_WRITE != 0,
                isFatal: value >> 8 == SSL3_AL_FATAL)
        }
        return context
    }()

    /// The functions through which BoringSSL reads and writes.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ByteBuffer") else { return nil }
        BIO_meth_set_write(method) { bio, bytes, count in
            let connection = connection(from: BIO_get_data(bio))
            return CInt(connection.wire.output.writeBytes(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
        }
        BIO_meth_set_read(method) { bio, bytes, count in
            BIO_clear_retry_flags(bio)
            let count = connection(from: BIO_get_data(bio)).wire.readInput(into: bytes, Int(count))
            guard count == 0 else { return CInt(count) }
            BIO_set_retry_read(bio)
            return -1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    /// The functions for a key that is elsewhere.
    nonisolated(unsafe) private static let keyMethod: UnsafePointer<SSL_PRIVATE_KEY_METHOD> = {
        let method = UnsafeMutablePointer<SSL_PRIVATE_KEY_METHOD>.allocate(capacity: 1)
        method.initialize(
            to: SSL_PRIVATE_KEY_METHOD(
                sign: { ssl, _, _, _, scheme, message, count in
                    connection(of: ssl).wire.ask(
                        .signatureRequested(
                            TLSSignatureScheme(rawValue: scheme),
                            Array(UnsafeBufferPointer(start: message, count: count))))
                    return ssl_private_key_retry
                },
                // Only the server of a key exchange with RSA decrypts.
                decrypt: { _, _, _, _, _, _ in ssl_private_key_failure },
                complete: { ssl, space, count, maximum in
                    guard let signature = connection(of: ssl).signature else { return ssl_private_key_retry }
                    guard let space, signature.count <= maximum else { return ssl_private_key_failure }
                    space.update(from: signature, count: signature.count)
                    count?.pointee = signature.count
                    return ssl_private_key_success
                }))
        return UnsafePointer(method)
    }()

    private static func connection(of ssl: OpaquePointer?) -> BoringSSLConnection {
        connection(from: SSL_get_ex_data(ssl, 0))
    }

    /// Returns the connection that a callback concerns.
    private static func connection(from reference: UnsafeMutableRawPointer?) -> BoringSSLConnection {
        guard let reference else { preconditionFailure("The callback belongs to no connection of this module.") }
        return Unmanaged.fromOpaque(reference).takeUnretainedValue()
    }
}
