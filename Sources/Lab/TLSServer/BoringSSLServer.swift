// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CNIOBoringSSL
package import Identities
import SwiftASN1
package import TLSTransport
import X509

/// The settings of a TLS server, with its session tickets' key.
///
/// Besides `BoringSSL.swift` of the client, this is the only file that uses BoringSSL.
package final class TLSServerContext: Sendable {
    package struct Settings: Sendable {
        package var versions: ClosedRange<TLSProtocolVersion>
        /// The protocol that the server selects, even if the client has not offered it; `nil` if the server does not
        /// support ALPN, and empty if it supports no offer.
        package var applicationProtocol: String?
        /// The OCSP response for clients that request it (RFC 6066 section 8).
        package var staple: [UInt8]?
        /// The SignedCertificateTimestampList for clients that request it, with its length (RFC 6962 section 3.3).
        package var timestamps: [UInt8]?
        /// The names of the issuers in the request for a client certificate; `nil` for no request.
        package var issuers: [[UInt8]]?
        /// The alert for every client certificate; `nil` to accept all.
        package var refusal: TLSAlert?
        package var requiresClientCertificate: Bool
        package var sendsTickets: Bool

        package init(
            versions: ClosedRange<TLSProtocolVersion> = .tls12 ... .tls13, applicationProtocol: String? = nil,
            staple: [UInt8]? = nil, timestamps: [UInt8]? = nil, issuers: [[UInt8]]? = nil, refusal: TLSAlert? = nil,
            requiresClientCertificate: Bool = false, sendsTickets: Bool = true
        ) {
            (self.versions, self.applicationProtocol) = (versions, applicationProtocol)
            (self.staple, self.timestamps) = (staple, timestamps)
            (self.issuers, self.refusal) = (issuers, refusal)
            (self.requiresClientCertificate, self.sendsTickets) = (requiresClientCertificate, sendsTickets)
        }
    }

    package let settings: Settings
    /// The library's object, which several connections may use at once.
    nonisolated(unsafe) fileprivate let context: OpaquePointer
    /// The name of the selected protocol, which BoringSSL reads after its callback has returned.
    nonisolated(unsafe) fileprivate let applicationProtocol: UnsafeMutableBufferPointer<UInt8>

    /// Creates a context.
    ///
    /// - Throws: `TLSFailure.unusableSettings(reason:)`, and an error of the encoder.
    package init(_ settings: Settings, identity: Identity) throws {
        guard let context = SSL_CTX_new(TLS_with_buffers_method()) else { throw Self.unusableSettings }
        (self.settings, self.context) = (settings, context)
        let name = Array((settings.applicationProtocol ?? "").utf8)
        applicationProtocol = .allocate(capacity: name.count)
        _ = applicationProtocol.initialize(from: name)
        SSL_CTX_set_min_proto_version(context, settings.versions.lowerBound.rawValue)
        SSL_CTX_set_max_proto_version(context, settings.versions.upperBound.rawValue)
        try use(identity)
        if let staple = settings.staple, SSL_CTX_set_ocsp_response(context, staple, staple.count) != 1 {
            throw Self.unusableSettings
        }
        if let timestamps = settings.timestamps,
            SSL_CTX_set_signed_cert_timestamp_list(context, timestamps, timestamps.count) != 1
        {
            throw Self.unusableSettings
        }
        if settings.applicationProtocol != nil { SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil) }
        if !settings.sendsTickets { SSL_CTX_set_options(context, UInt32(SSL_OP_NO_TICKET)) }
        SSL_CTX_set_session_id_context(context, [1], 1)
        requestClientCertificate()
    }

    deinit {
        SSL_CTX_free(context)
        applicationProtocol.deallocate()
    }

    private static var unusableSettings: TLSFailure {
        .unusableSettings(reason: TLSServerEngine.takeReason() ?? "UNKNOWN")
    }

    private func use(_ identity: Identity) throws {
        let chain = try identity.chain.map { try $0.serializeAsPEM().derBytes }
            .map { CRYPTO_BUFFER_new($0, $0.count, nil) }
        defer { chain.forEach(CRYPTO_BUFFER_free) }
        let bytes = try identity.privateKey.serializeAsPEM().derBytes
        let key = bytes.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
        defer { EVP_PKEY_free(key) }
        guard key != nil, SSL_CTX_set_chain_and_key(context, chain, chain.count, key, nil) == 1 else {
            throw Self.unusableSettings
        }
    }

    private func requestClientCertificate() {
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
            guard let refusal = TLSServerEngine.engine(of: ssl).context.settings.refusal else { return ssl_verify_ok }
            alert?.pointee = refusal.rawValue
            return ssl_verify_invalid
        }
    }
}

/// A server's side of one connection, without a channel.
package final class TLSServerEngine {
    package let context: TLSServerContext
    /// Whether the handshake is complete.
    package private(set) var isComplete = false
    /// The decrypted bytes that were not taken.
    package private(set) var received: [UInt8] = []
    /// The alerts from the client.
    package private(set) var alerts: [TLSAlert] = []
    package private(set) var hasReceivedCloseNotify = false
    /// The library's name for the reason of a failure.
    package private(set) var failure: String?
    private let ssl: OpaquePointer?
    private let (input, output) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))

    package init(_ context: TLSServerContext) {
        self.context = context
        ssl = SSL_new(context.context)
        SSL_set_bio(ssl, input, output)
        SSL_set_accept_state(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_info_callback(ssl) { ssl, type, value in
            guard type & SSL_CB_ALERT != 0, type & SSL_CB_READ != 0 else { return }
            TLSServerEngine.engine(of: ssl).alerts.append(TLSAlert(rawValue: UInt8(value & 0xff)))
        }
    }

    deinit { SSL_free(ssl) }

    fileprivate static func engine(of ssl: OpaquePointer?) -> TLSServerEngine {
        guard let reference = SSL_get_ex_data(ssl, 0) else {
            preconditionFailure("The callback belongs to no connection of this module.")
        }
        return Unmanaged.fromOpaque(reference).takeUnretainedValue()
    }

    /// Returns the name of the first error in the thread's queue, and empties the queue; `nil` if there is none.
    fileprivate static func takeReason() -> String? {
        defer { ERR_clear_error() }
        return ERR_reason_symbol_name(ERR_peek_error()).map { String(cString: $0) }
    }

    // MARK: Bytes

    /// Reads bytes from the client.
    package func receive(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        BIO_write(input, bytes, CInt(bytes.count))
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
        default: failure = failure ?? Self.takeReason() ?? "UNKNOWN"
        }
        ERR_clear_error()
        return false
    }

    /// Returns the decrypted bytes, and removes them.
    package func takeReceived() -> [UInt8] {
        defer { received = [] }
        return received
    }

    /// Encrypts bytes for the client, after the handshake.
    package func send(_ bytes: [UInt8]) { SSL_write(ssl, bytes, CInt(bytes.count)) }

    /// Sends close_notify.
    package func close() {
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    package func sendAlert(_ alert: TLSAlert) { SSL_send_fatal_alert(ssl, alert.rawValue) }

    /// Returns the bytes for the client, and removes them.
    package func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_pending(output))
        guard !bytes.isEmpty else { return [] }
        BIO_read(output, &bytes, CInt(bytes.count))
        return bytes
    }

    // MARK: Properties

    /// The client's certificates in DER.
    package var clientChain: [[UInt8]] { bufferContents(SSL_get0_peer_certificates(ssl)) }

    /// The server name that the client sent; `nil` if it sent none.
    package var serverName: String? {
        SSL_get_servername(ssl, CInt(TLSEXT_NAMETYPE_host_name)).map { String(cString: $0) }
    }

    /// Derives a secret of the connection (RFC 5705, RFC 8446 section 7.5).
    package func exportSecret(label: String, length: Int) -> [UInt8] {
        var secret = [UInt8](repeating: 0, count: length)
        SSL_export_keying_material(ssl, &secret, length, label, label.utf8.count, nil, 0, 0)
        return secret
    }
}

/// Selects the protocol of the context's settings.
private let selectProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
    ) -> CInt = { ssl, selected, length, _, _, _ in
        let name = TLSServerEngine.engine(of: ssl).context.applicationProtocol
        guard !name.isEmpty else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected?.pointee = UnsafePointer(name.baseAddress)
        length?.pointee = UInt8(name.count)
        return SSL_TLSEXT_ERR_OK
    }
