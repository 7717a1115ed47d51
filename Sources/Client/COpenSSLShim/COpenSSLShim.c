// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#include "COpenSSLShim.h"

// SwiftPM compiles this file also without the trait.
#ifdef COUNTERSIGN_OPENSSL
#if !__has_include(<openssl/ssl.h>)
#error "the trait OpenSSL needs libssl-dev (Debian), openssl-devel (Fedora) or openssl@3 (Homebrew)"
#endif

#include <limits.h>
#include <pthread.h>
#include <string.h>

#include <openssl/conf.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "the trait OpenSSL needs OpenSSL 3.0.2 or later"
#endif

#ifdef __APPLE__
static int load(void) { return 1; }
#else
#include "LoadedFunctions.h"
#endif

// The types of the header have no definition, so a pointer to one is only passed on.
#define SSL_OF(connection) ((SSL *)(connection))

static copenssl_callbacks callbacks;
static BIO_METHOD *method;
/// The index of the certificate of the first handshake.
static int leaf_index;

static void *owner_of(const SSL *ssl) { return SSL_get_ex_data(ssl, 0); }

// MARK: Bytes

static int bio_write(BIO *bio, const char *bytes, int count) {
    callbacks.write(BIO_get_data(bio), bytes, (size_t)count);
    return count;
}

static int bio_read(BIO *bio, char *space, int count) {
    BIO_clear_retry_flags(bio);
    size_t copied = callbacks.read(BIO_get_data(bio), space, (size_t)count);
    if (copied > 0) return (int)copied;
    BIO_set_retry_read(bio);
    return -1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

// MARK: Callbacks

/// Requires the certificate of the first handshake in a renegotiation; the owner decides on the first one later.
static int verify(X509_STORE_CTX *store, void *argument) {
    (void)argument;
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    const X509 *first = SSL_get_ex_data(ssl, leaf_index), *leaf = X509_STORE_CTX_get0_cert(store);
    if (first == NULL || (leaf != NULL && X509_cmp(first, leaf) == 0)) return 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
    return 0;
}

static int identity_requested(SSL *ssl, void *argument) {
    (void)argument;
    return callbacks.identity_requested(owner_of(ssl));
}

static int status_received(SSL *ssl, void *argument) {
    (void)argument;
    callbacks.flight_received(owner_of(ssl));
    return 1;
}

/// Passes on a copy, because OpenSSL marks the session of a connection as unusable in several cases.
static int session_received(SSL *ssl, SSL_SESSION *session) {
    SSL_SESSION *copy = SSL_SESSION_is_resumable(session) ? SSL_SESSION_dup(session) : NULL;
    if (copy != NULL && !callbacks.session_received(owner_of(ssl), (copenssl_session *)copy)) SSL_SESSION_free(copy);
    return 0;
}

static int timestamps_offered(
    SSL *ssl, unsigned type, unsigned context, const unsigned char **bytes, size_t *count, X509 *certificate,
    size_t position, int *alert, void *argument) {
    (void)ssl, (void)type, (void)certificate, (void)position, (void)alert, (void)argument;
    *bytes = NULL;
    *count = 0;
    return context == SSL_EXT_CLIENT_HELLO;
}

static int timestamps_received(
    SSL *ssl, unsigned type, unsigned context, const unsigned char *bytes, size_t count, X509 *certificate,
    size_t position, int *alert, void *argument) {
    (void)type, (void)context, (void)certificate, (void)alert, (void)argument;
    if (position == 0) callbacks.timestamps_received(owner_of(ssl), bytes, count);
    return 1;
}

static void handshake_ended(SSL *ssl) {
    if (SSL_get_ex_data(ssl, leaf_index) == NULL) SSL_set_ex_data(ssl, leaf_index, SSL_get1_peer_certificate(ssl));
    // The session is not offered in a renegotiation, because a server that resumes it cannot request a certificate.
    SSL_CTX_remove_session(SSL_get_SSL_CTX(ssl), SSL_get_session(ssl));
    // OpenSSL would renegotiate with a server without RFC 5746 if SSL_OP_LEGACY_SERVER_CONNECT permits the connection.
    if (!SSL_get_secure_renegotiation_support(ssl)) SSL_set_options(ssl, SSL_OP_NO_RENEGOTIATION);
    callbacks.handshake_ended(owner_of(ssl));
}

static void info(const SSL *ssl, int type, int value) {
    if (type & SSL_CB_ALERT) {
        uint8_t number = (uint8_t)value;
        // TLS 1.3 ignores the level (RFC 8446 section 6).
        int is_fatal = value >> 8 == SSL3_AL_FATAL;
        if (SSL_version(ssl) == TLS1_3_VERSION) is_fatal = number != SSL_AD_USER_CANCELLED;
        callbacks.alert(owner_of(ssl), number, (type & SSL_CB_WRITE) != 0, is_fatal);
    } else if (type & SSL_CB_HANDSHAKE_DONE) {
        handshake_ended((SSL *)ssl);
    }
}

static void leaf_free(void *parent, void *leaf, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
    (void)parent, (void)data, (void)index, (void)number, (void)pointer;
    X509_free(leaf);
}

/// Passes on the one secret with which an alert in a handshake of TLS 1.3 is encrypted.
static void secret_derived(const SSL *ssl, const char *line) {
    static const char label[] = "CLIENT_HANDSHAKE_TRAFFIC_SECRET ";
    if (strncmp(line, label, sizeof(label) - 1) != 0) return;
    const char *digits = strrchr(line, ' ') + 1;
    uint8_t secret[EVP_MAX_MD_SIZE];
    size_t count = strlen(digits) / 2;
    if (count > sizeof(secret)) return;
    for (size_t position = 0; position < count; position++)
        secret[position] = (uint8_t)(OPENSSL_hexchar2int((unsigned char)digits[2 * position]) << 4
            | OPENSSL_hexchar2int((unsigned char)digits[2 * position + 1]));
    callbacks.secret(owner_of(ssl), secret, count);
    OPENSSL_cleanse(secret, sizeof(secret));
}

// MARK: Contexts

static unsigned long version;

static void load_version(void) {
    if (load()) version = OpenSSL_version_num();
}

unsigned long copenssl_version(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_version);
    return version;
}

int copenssl_start_signatures(void) {
    // As for connections, OpenSSL does not read its configuration, and no exit handler ends it.
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

int copenssl_start(const copenssl_callbacks *functions) {
    callbacks = *functions;
    // Event loops may still run in exit handlers. OpenSSL reads its configuration once in a process.
    if (!OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)) return 0;
    leaf_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, leaf_free);
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ByteBuffer");
    return leaf_index > 0 && method != NULL && BIO_meth_set_write(method, bio_write)
        && BIO_meth_set_read(method, bio_read) && BIO_meth_set_ctrl(method, bio_control);
}

/// Sets what a configuration could have set before.
static int set_rules(SSL_CTX *context, int is_legacy) {
    SSL_CTX_set_security_level(context, is_legacy ? 0 : 2);
    if (is_legacy) {
        SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
    } else {
        SSL_CTX_clear_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
    }
    SSL_CTX_clear_options(context, SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION);
    // OpenSSL prefers AES-256, which is slower.
    return SSL_CTX_set_min_proto_version(context, 0) && SSL_CTX_set_max_proto_version(context, 0)
        && SSL_CTX_set_ciphersuites(
            context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        && SSL_CTX_set_cipher_list(
            context, is_legacy
                ? "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:ALL:!aNULL:!eNULL:!PSK:!SRP"
                : "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AES128+AESGCM:DHE+AESGCM:DHE+CHACHA20"
                  ":ECDHE+AES:DHE+AES:kRSA+AESGCM:kRSA+AES:!aNULL:!eNULL:!PSK:!SRP:!aDSS:!AESCCM")
        && SSL_CTX_set1_groups_list(
            context,
            "X25519:P-256:P-384:P-521:X448:brainpoolP256r1:brainpoolP384r1:brainpoolP512r1:ffdhe2048:ffdhe3072")
        && SSL_CTX_set1_sigalgs_list(
            context, is_legacy
                ? "ECDSA+SHA256:RSA-PSS+SHA256:RSA+SHA256:ECDSA+SHA384:RSA-PSS+SHA384:RSA+SHA384:ECDSA+SHA512"
                  ":RSA-PSS+SHA512:RSA+SHA512:ed25519:ed448:rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512"
                  ":ECDSA+SHA224:RSA+SHA224:ECDSA+SHA1:RSA+SHA1:DSA+SHA256:DSA+SHA1"
                : "ECDSA+SHA256:RSA-PSS+SHA256:RSA+SHA256:ECDSA+SHA384:RSA-PSS+SHA384:RSA+SHA384:ECDSA+SHA512"
                  ":RSA-PSS+SHA512:RSA+SHA512:ed25519:ed448:rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512");
}

static int set_callbacks(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, session_received);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(context, verify, NULL);
    SSL_CTX_set_cert_cb(context, identity_requested, NULL);
    SSL_CTX_set_info_callback(context, info);
    SSL_CTX_set_keylog_callback(context, secret_derived);
    return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp)
        && SSL_CTX_set_tlsext_status_cb(context, status_received)
        && SSL_CTX_add_custom_ext(
            context, TLSEXT_TYPE_signed_certificate_timestamp,
            SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE, timestamps_offered, NULL,
            NULL, timestamps_received, NULL);
}

copenssl_context *copenssl_context_new(copenssl_rules rules) {
    OSSL_LIB_CTX *library = NULL;
    ERR_clear_error();
    if (rules == COPENSSL_CONFIGURED) {
        library = OSSL_LIB_CTX_new();
        if (library == NULL || CONF_modules_load_file_ex(library, NULL, NULL, CONF_MFLAGS_IGNORE_MISSING_FILE) <= 0)
            return NULL;
    }
    SSL_CTX *context = SSL_CTX_new_ex(library, NULL, TLS_client_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_app_data(context, library);
    if (!set_callbacks(context) || (rules != COPENSSL_CONFIGURED && !set_rules(context, rules == COPENSSL_LEGACY)))
        return NULL;
    return (copenssl_context *)context;
}

const char *copenssl_reason(void) {
    const char *reason = ERR_reason_error_string(ERR_peek_error());
    ERR_clear_error();
    return reason;
}

// MARK: Connections

copenssl_connection *copenssl_new(
    copenssl_context *context, const char *server_name, const uint8_t *protocols, size_t protocols_count,
    uint16_t minimum_version, uint16_t maximum_version) {
    SSL_CTX *rules = (SSL_CTX *)context;
    ERR_clear_error();
    SSL *ssl = SSL_new(rules);
    BIO *bio = BIO_new(method);
    if (ssl == NULL || bio == NULL) {
        SSL_free(ssl);
        BIO_free(bio);
        return NULL;
    }
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_connect_state(ssl);
    // A configuration may be stricter.
    int minimum = (int)SSL_CTX_get_min_proto_version(rules), maximum = (int)SSL_CTX_get_max_proto_version(rules);
    if (minimum < minimum_version) minimum = minimum_version;
    if (maximum == 0 || maximum > maximum_version) maximum = maximum_version;
    if (SSL_set_min_proto_version(ssl, minimum) && SSL_set_max_proto_version(ssl, maximum)
        && (server_name == NULL || SSL_set_tlsext_host_name(ssl, server_name))
        // This function returns zero if it succeeds.
        && SSL_set_alpn_protos(ssl, protocols, (unsigned)protocols_count) == 0)
        return (copenssl_connection *)ssl;
    SSL_free(ssl);
    return NULL;
}

void copenssl_set_owner(copenssl_connection *connection, void *owner) {
    SSL_set_ex_data(SSL_OF(connection), 0, owner);
    BIO_set_data(SSL_get_rbio(SSL_OF(connection)), owner);
}

void copenssl_free(copenssl_connection *connection) { SSL_free(SSL_OF(connection)); }

void copenssl_allow_late_authentication(copenssl_connection *connection) {
    SSL_set_post_handshake_auth(SSL_OF(connection), 1);
}

void copenssl_forbid_renegotiation(copenssl_connection *connection) {
    SSL_set_options(SSL_OF(connection), SSL_OP_NO_RENEGOTIATION);
}

int copenssl_resume(copenssl_connection *connection, copenssl_session *session) {
    SSL_SESSION *copy = SSL_SESSION_dup((SSL_SESSION *)session);
    int is_offered = copy != NULL && SSL_set_session(SSL_OF(connection), copy);
    SSL_SESSION_free(copy);
    return is_offered;
}

static int result(SSL *ssl, int value) {
    if (value > 0) return value;
    switch (SSL_get_error(ssl, value)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_X509_LOOKUP: return COPENSSL_BLOCKED;
    case SSL_ERROR_ZERO_RETURN: return COPENSSL_CLOSED;
    default: return COPENSSL_FAILED;
    }
}

static int clamped(size_t count) { return count > INT_MAX ? INT_MAX : (int)count; }

int copenssl_handshake(copenssl_connection *connection) {
    ERR_clear_error();
    return result(SSL_OF(connection), SSL_do_handshake(SSL_OF(connection)));
}

int copenssl_read(copenssl_connection *connection, void *space, size_t count) {
    ERR_clear_error();
    return result(SSL_OF(connection), SSL_read(SSL_OF(connection), space, clamped(count)));
}

int copenssl_write(copenssl_connection *connection, const void *bytes, size_t count) {
    ERR_clear_error();
    return result(SSL_OF(connection), SSL_write(SSL_OF(connection), bytes, clamped(count)));
}

void copenssl_shutdown(copenssl_connection *connection) {
    ERR_clear_error();
    SSL_shutdown(SSL_OF(connection));
    ERR_clear_error();
}

// MARK: Properties

int copenssl_is_handshaking(const copenssl_connection *connection) { return SSL_in_init(SSL_OF(connection)); }

size_t copenssl_pending(const copenssl_connection *connection) { return (size_t)SSL_pending(SSL_OF(connection)); }

/// Returns the number in IANA's registry.
static uint16_t group_number(int identifier) {
    static const struct { int identifier; uint16_t number; } groups[] = {
        {NID_X9_62_prime256v1, 23}, {NID_secp384r1, 24}, {NID_secp521r1, 25}, {NID_brainpoolP256r1, 26},
        {NID_brainpoolP384r1, 27}, {NID_brainpoolP512r1, 28}, {NID_X25519, 29}, {NID_X448, 30}, {NID_ffdhe2048, 256},
        {NID_ffdhe3072, 257}, {NID_ffdhe4096, 258},
    };
    if (identifier & TLSEXT_nid_unknown) return (uint16_t)identifier;
    for (size_t position = 0; position < sizeof(groups) / sizeof(groups[0]); position++)
        if (groups[position].identifier == identifier) return groups[position].number;
    return 0;
}

/// Returns the number of the server's signature algorithm in IANA's registry.
static uint16_t peer_scheme(SSL *ssl) {
    int type = NID_undef, digest = NID_undef;
    if (!SSL_get_peer_signature_type_nid(ssl, &type)) return 0;
    if (type == EVP_PKEY_ED25519) return 0x0807;
    if (type == EVP_PKEY_ED448) return 0x0808;
    SSL_get_peer_signature_nid(ssl, &digest);
    uint16_t hash;
    switch (digest) {
    case NID_sha1: hash = 2; break;
    case NID_sha224: hash = 3; break;
    case NID_sha256: hash = 4; break;
    case NID_sha384: hash = 5; break;
    case NID_sha512: hash = 6; break;
    default: return 0;
    }
    switch (type) {
    case EVP_PKEY_RSA: return (uint16_t)(hash << 8 | 1);
    case EVP_PKEY_DSA: return (uint16_t)(hash << 8 | 2);
    case EVP_PKEY_EC: return (uint16_t)(hash << 8 | 3);
    case EVP_PKEY_RSA_PSS: {
        const EVP_PKEY *key = X509_get0_pubkey(SSL_get0_peer_certificate(ssl));
        return key != NULL && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA_PSS ? 0x0805 + hash : 0x0800 + hash;
    }
    default: return 0;
    }
}

copenssl_facts copenssl_get_facts(copenssl_connection *connection) {
    SSL *ssl = SSL_OF(connection);
    const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
    copenssl_facts facts = {
        .version = (uint16_t)SSL_version(ssl),
        // OpenSSL reads the group from the session, which the ClientHello creates.
        .group = SSL_get_session(ssl) == NULL ? 0 : group_number((int)SSL_get_negotiated_group(ssl)),
        .scheme = peer_scheme(ssl), .suite = cipher == NULL ? NULL : SSL_CIPHER_standard_name(cipher),
        .is_resumed = SSL_session_reused(ssl),
    };
    SSL_get0_alpn_selected(ssl, &facts.protocol, &facts.protocol_length);
    return facts;
}

int copenssl_export(
    copenssl_connection *connection, uint8_t *secret, size_t count, const char *label, size_t label_count,
    const uint8_t *context, size_t context_count, int has_context) {
    ERR_clear_error();
    return SSL_is_init_finished(SSL_OF(connection))
        && SSL_export_keying_material(
            SSL_OF(connection), secret, count, label, label_count, context, context_count, has_context) == 1;
}

void copenssl_certificates(const copenssl_connection *connection, void *list, copenssl_element take) {
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(SSL_OF(connection));
    for (int position = 0; position < sk_X509_num(chain); position++) {
        unsigned char *bytes = NULL;
        int count = i2d_X509(sk_X509_value(chain, position), &bytes);
        if (count > 0) take(list, bytes, (size_t)count);
        OPENSSL_free(bytes);
    }
}

size_t copenssl_staple(copenssl_connection *connection, const uint8_t **bytes) {
    long count = SSL_get_tlsext_status_ocsp_resp(SSL_OF(connection), bytes);
    return count > 0 ? (size_t)count : 0;
}

void copenssl_issuers(const copenssl_connection *connection, void *list, copenssl_element take) {
    const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(SSL_OF(connection));
    for (int position = 0; position < sk_X509_NAME_num(names); position++) {
        const unsigned char *bytes = NULL;
        size_t count = 0;
        if (X509_NAME_get0_der(sk_X509_NAME_value(names, position), &bytes, &count)) take(list, bytes, count);
    }
}

uint16_t copenssl_scheme(copenssl_connection *connection, int position) {
    unsigned char signature = 0, hash = 0;
    int count = SSL_get_sigalgs(SSL_OF(connection), position, NULL, NULL, NULL, &signature, &hash);
    return position < count ? (uint16_t)(hash << 8 | signature) : 0;
}

size_t copenssl_certificate_types(copenssl_connection *connection, const uint8_t **types) {
    return (size_t)SSL_get0_certificate_types(SSL_OF(connection), types);
}

int copenssl_set_identity(
    copenssl_connection *connection, const uint8_t *chain, size_t chain_count, const uint8_t *key, size_t key_count) {
    SSL *ssl = SSL_OF(connection);
    OSSL_LIB_CTX *library = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    ERR_clear_error();
    SSL_certs_clear(ssl);
    if (chain_count == 0) return 1;
    const uint8_t *end = chain + chain_count;
    int is_usable = 0;
    X509 *leaf = d2i_X509(NULL, &chain, (long)chain_count);
    STACK_OF(X509) *issuers = sk_X509_new_null();
    EVP_PKEY *pair = d2i_AutoPrivateKey_ex(NULL, &key, (long)key_count, library, NULL);
    if (leaf == NULL || issuers == NULL || pair == NULL) goto end;
    while (chain < end) {
        X509 *issuer = d2i_X509(NULL, &chain, (long)(end - chain));
        if (issuer == NULL) goto end;
        if (!sk_X509_push(issuers, issuer)) {
            X509_free(issuer);
            goto end;
        }
    }
    if (!SSL_use_cert_and_key(ssl, leaf, pair, issuers, 1)) goto end;
    // OpenSSL would present no certificate.
    is_usable = (SSL_check_chain(ssl, leaf, pair, issuers) & CERT_PKEY_SIGN) != 0;
    if (!is_usable) ERR_raise(ERR_LIB_SSL, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM);
end:
    X509_free(leaf);
    sk_X509_pop_free(issuers, X509_free);
    EVP_PKEY_free(pair);
    return is_usable;
}

// MARK: Signatures

int copenssl_is_signature_valid(
    const uint8_t *key, size_t key_count, copenssl_signature_rules rules, const uint8_t *signature,
    size_t signature_count, const uint8_t *bytes, size_t count) {
    ERR_clear_error();
    if (key_count > LONG_MAX) return 0;
    EVP_PKEY *public = d2i_PUBKEY(NULL, &key, (long)key_count);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *settings = NULL;
    int is_valid = public != NULL && context != NULL
        && EVP_DigestVerifyInit_ex(context, &settings, rules.digest, NULL, NULL, public, NULL) == 1
        && (rules.mask_digest == NULL
            || (EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) > 0
                && EVP_PKEY_CTX_set_rsa_mgf1_md_name(settings, rules.mask_digest, NULL) > 0
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, rules.salt_length) > 0))
        && EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(public);
    ERR_clear_error();
    return is_valid;
}

// MARK: Sessions

uint64_t copenssl_session_expiry(const copenssl_session *session) {
    const SSL_SESSION *value = (const SSL_SESSION *)session;
    unsigned long timeout = (unsigned long)SSL_SESSION_get_timeout(value);
    // The ticket of TLS 1.3 has a lifetime, and zero ends it at once (RFC 8446 section 4.6.1).
    if (copenssl_session_is_single_use(session) && SSL_SESSION_get_ticket_lifetime_hint(value) < timeout)
        timeout = SSL_SESSION_get_ticket_lifetime_hint(value);
    return (uint64_t)SSL_SESSION_get_time(value) + timeout;
}

int copenssl_session_is_single_use(const copenssl_session *session) {
    return SSL_SESSION_get_protocol_version((const SSL_SESSION *)session) >= TLS1_3_VERSION;
}

void copenssl_session_free(copenssl_session *session) { SSL_SESSION_free((SSL_SESSION *)session); }
#endif
