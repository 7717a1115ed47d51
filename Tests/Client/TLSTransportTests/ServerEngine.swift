// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CNIOBoringSSL
import Crypto
import Foundation
import Identities
import NIOCore
import SwiftASN1
import TLSTransport
import TrustRecipes
import X509

/// The settings of a server in memory, with its session tickets' key.
final class ServerContext {
    struct Settings {
        var identity = ServerContext.identity
        var versions: ClosedRange<TLSProtocolVersion> = .tls12 ... .tls13
        /// The protocol that the server selects; `nil` if it does not support ALPN, and empty if it supports no offer.
        var applicationProtocol: String?
        var staple: [UInt8]?
        var timestamps: [UInt8]?
        /// The names of the issuers in the request for a client certificate; `nil` for no request.
        var issuers: [[UInt8]]?
        /// The alert for every client certificate; `nil` to accept all.
        var refusal: TLSAlert?
        var requiresClientCertificate = false
        var sendsTickets = true
    }

    /// The usual identity, made once.
    static let identity: Identity = {
        do {
            return try .selfSigned(Certificate.PrivateKey(P256.Signing.PrivateKey()))
        } catch {
            preconditionFailure("The identity of the tests cannot be made: \(error)")
        }
    }()

    let settings: Settings
    fileprivate let context: OpaquePointer?
    /// The name of the selected protocol, which BoringSSL reads after its callback has returned.
    fileprivate let applicationProtocol: UnsafeMutableBufferPointer<UInt8>

    init(_ settings: Settings = Settings()) throws {
        self.settings = settings
        let name = Array((settings.applicationProtocol ?? "").utf8)
        applicationProtocol = .allocate(capacity: name.count)
        _ = applicationProtocol.initialize(from: name)
        context = SSL_CTX_new(TLS_with_buffers_method())
        SSL_CTX_set_min_proto_version(context, settings.versions.lowerBound.rawValue)
        SSL_CTX_set_max_proto_version(context, settings.versions.upperBound.rawValue)
        let chain = try settings.identity.chain.map { try $0.bytes() }.map { CRYPTO_BUFFER_new($0, $0.count, nil) }
        let bytes = try settings.identity.privateKey.serializeAsPEM().derBytes
        let key = bytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
        SSL_CTX_set_chain_and_key(context, chain, chain.count, key, nil)
        chain.forEach(CRYPTO_BUFFER_free)
        EVP_PKEY_free(key)
        if let staple = settings.staple { SSL_CTX_set_ocsp_response(context, staple, staple.count) }
        if let timestamps = settings.timestamps {
            SSL_CTX_set_signed_cert_timestamp_list(context, timestamps, timestamps.count)
        }
        if settings.applicationProtocol != nil { SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil) }
        if !settings.sendsTickets { SSL_CTX_set_options(context, UInt32(SSL_OP_NO_TICKET)) }
        SSL_CTX_set_session_id_context(context, [1], 1)
        let schemes = [
            SSL_SIGN_ECDSA_SECP256R1_SHA256, SSL_SIGN_RSA_PSS_RSAE_SHA256, SSL_SIGN_ECDSA_SECP384R1_SHA384,
            SSL_SIGN_ECDSA_SECP521R1_SHA512, SSL_SIGN_ED25519, SSL_SIGN_RSA_PKCS1_SHA256,
        ].map(UInt16.init)
        SSL_CTX_set_verify_algorithm_prefs(context, schemes, schemes.count)
        guard let issuers = settings.issuers else { return }
        let names = OPENSSL_sk_new_null()
        for issuer in issuers {
            OPENSSL_sk_push(names, UnsafeMutableRawPointer(CRYPTO_BUFFER_new(issuer, issuer.count, nil)))
        }
        SSL_CTX_set0_client_CAs(context, names)
        let mode =
            SSL_VERIFY_PEER | (settings.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
        SSL_CTX_set_custom_verify(context, mode) { ssl, alert in
            guard let refusal = ServerEngine.engine(of: ssl).context.settings.refusal else { return ssl_verify_ok }
            alert?.pointee = refusal.rawValue
            return ssl_verify_invalid
        }
    }

    deinit {
        SSL_CTX_free(context)
        applicationProtocol.deallocate()
    }
}

/// A server in memory.
final class ServerEngine {
    let context: ServerContext
    private(set) var isComplete = false
    private(set) var received: [UInt8] = []
    private(set) var alerts: [TLSAlert] = []
    private(set) var hasReceivedCloseNotify = false
    /// The library's name for the reason of a failure.
    private(set) var failure: String?
    private let ssl: OpaquePointer?
    private let (input, output) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))

    init(_ context: ServerContext) {
        self.context = context
        ssl = SSL_new(context.context)
        SSL_set_bio(ssl, input, output)
        SSL_set_accept_state(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_info_callback(ssl) { ssl, type, value in
            guard type & SSL_CB_ALERT != 0, type & SSL_CB_READ != 0 else { return }
            ServerEngine.engine(of: ssl).alerts.append(TLSAlert(rawValue: UInt8(value & 0xff)))
        }
    }

    deinit { SSL_free(ssl) }

    fileprivate static func engine(of ssl: OpaquePointer?) -> ServerEngine {
        guard let reference = SSL_get_ex_data(ssl, 0) else { preconditionFailure("no engine") }
        return Unmanaged.fromOpaque(reference).takeUnretainedValue()
    }

    /// The client's certificates in DER.
    var clientChain: [[UInt8]] {
        guard let stack = SSL_get0_peer_certificates(ssl) else { return [] }
        return (0..<sk_CRYPTO_BUFFER_num(stack)).map { index in
            let buffer = sk_CRYPTO_BUFFER_value(stack, index)
            return Array(UnsafeBufferPointer(start: CRYPTO_BUFFER_data(buffer), count: CRYPTO_BUFFER_len(buffer)))
        }
    }

    var serverName: String? {
        SSL_get_servername(ssl, CInt(TLSEXT_NAMETYPE_host_name)).map { String(cString: $0) }
    }

    func exportSecret(label: String, length: Int) -> [UInt8] {
        var secret = [UInt8](repeating: 0, count: length)
        SSL_export_keying_material(ssl, &secret, length, label, label.utf8.count, nil, 0, 0)
        return secret
    }

    func receive(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        BIO_write(input, bytes, CInt(bytes.count))
        advance()
    }

    func advance() {
        if !isComplete { isComplete = check(SSL_do_handshake(ssl)) }
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while isComplete {
            let count = SSL_read(ssl, &buffer, CInt(buffer.count))
            guard check(count) else { return }
            received += buffer.prefix(Int(count))
        }
    }

    /// Returns whether a call succeeded, and notes a failure.
    private func check(_ result: CInt) -> Bool {
        if result > 0 { return true }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_ZERO_RETURN: hasReceivedCloseNotify = true
        default:
            failure = failure ?? ERR_reason_symbol_name(ERR_get_error()).map { String(cString: $0) } ?? "UNKNOWN"
        }
        ERR_clear_error()
        return false
    }

    func send(_ bytes: [UInt8]) { SSL_write(ssl, bytes, CInt(bytes.count)) }

    /// Sends close_notify.
    func close() { SSL_shutdown(ssl) }

    func sendAlert(_ alert: TLSAlert) { SSL_send_fatal_alert(ssl, alert.rawValue) }

    func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_pending(output))
        guard !bytes.isEmpty else { return [] }
        BIO_read(output, &bytes, CInt(bytes.count))
        return bytes
    }
}

/// Selects the protocol of the context's settings, even if the client has not offered it.
private let selectProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
    ) -> CInt = { ssl, selected, length, _, _, _ in
        let name = ServerEngine.engine(of: ssl).context.applicationProtocol
        guard !name.isEmpty else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected?.pointee = UnsafePointer(name.baseAddress)
        length?.pointee = UInt8(name.count)
        return SSL_TLSEXT_ERR_OK
    }

extension Identity {
    /// Makes a certificate that is its own issuer.
    static func selfSigned(
        _ key: Certificate.PrivateKey, issuerKey: Certificate.PrivateKey? = nil
    ) throws -> Identity {
        let name = try DistinguishedName { CommonName("a.test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(bytes: [0x40, 1]), publicKey: key.publicKey,
            notValidBefore: Instant.now - 86400, notValidAfter: Instant.now + 86400, issuer: name, subject: name,
            extensions: try Certificate.Extensions { KeyUsage(digitalSignature: true) },
            issuerPrivateKey: issuerKey ?? key)
        return try Identity(chain: [certificate], privateKey: key)
    }
}
