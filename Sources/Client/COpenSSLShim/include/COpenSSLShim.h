// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_COPENSSLSHIM_H
#define COUNTERSIGN_COPENSSLSHIM_H

#include <stddef.h>
#include <stdint.h>

// A client's TLS connections in OpenSSL, and the signatures of algorithms that BoringSSL lacks.
//
// No declaration of OpenSSL reaches Swift: BoringSSL declares functions with the same names and other link names, and
// the importer of a module that sees both calls the functions of the one for the other without an error.

/// A context of connections, an SSL_CTX.
typedef struct copenssl_context copenssl_context;
/// A connection, an SSL.
typedef struct copenssl_connection copenssl_connection;
/// A session, an SSL_SESSION.
typedef struct copenssl_session copenssl_session;

/// The functions that a connection calls; the first argument of each is the connection's owner.
typedef struct {
    /// Copies bytes from the server, and returns their number; zero if there are none.
    size_t (*read)(void *owner, void *space, size_t count);
    /// Accepts bytes for the server.
    void (*write)(void *owner, const void *bytes, size_t count);
    /// Accepts the SignedCertificateTimestampList.
    void (*timestamps_received)(void *owner, const uint8_t *bytes, size_t count);
    /// Accepts the end of the server's first messages, after which all its credentials are known.
    void (*flight_received)(void *owner);
    /// Returns 1 to continue with the identity that was set, 0 to fail, and -1 to wait.
    int (*identity_requested)(void *owner);
    /// Returns whether it takes ownership of the session.
    int (*session_received)(void *owner, copenssl_session *session);
    /// Accepts the end of a handshake or renegotiation.
    void (*handshake_ended)(void *owner);
    /// Accepts an alert.
    void (*alert)(void *owner, uint8_t number, int is_sent, int is_fatal);
    /// Accepts the client_handshake_traffic_secret (RFC 8446 section 7.1).
    void (*secret)(void *owner, const uint8_t *bytes, size_t count);
} copenssl_callbacks;

/// The rules of a context.
typedef enum {
    COPENSSL_STANDARD,
    /// All versions, suites and key lengths, and servers without RFC 5746.
    COPENSSL_LEGACY,
    /// The administrator's openssl.cnf.
    COPENSSL_CONFIGURED,
} copenssl_rules;

/// The result of a call that is not positive.
enum {
    /// The connection needs bytes or an answer.
    COPENSSL_BLOCKED = 0,
    /// The server has sent close_notify.
    COPENSSL_CLOSED = -1,
    COPENSSL_FAILED = -2,
};

/// The properties of a connection; zero and NULL if there is none.
typedef struct {
    uint16_t version, group, scheme;
    const char *suite;
    const uint8_t *protocol;
    unsigned protocol_length;
    int is_resumed;
} copenssl_facts;

/// Accepts the bytes of an element of a list.
typedef void (*copenssl_element)(void *list, const uint8_t *bytes, size_t count);

/// Loads OpenSSL on Linux, once; macOS loads it with the program.
///
/// Returns its version, such as 0x30000020 for 3.0.2; 0 if it is not installed. Called before all other functions.
unsigned long copenssl_version(void);
/// Initializes OpenSSL for the functions of signatures and keys; returns 0 if that fails.
int copenssl_start_signatures(void);
/// Initializes OpenSSL, which no exit handler ends; called once, and before all functions of connections.
int copenssl_start(const copenssl_callbacks *callbacks);
/// Creates a context that is never freed.
copenssl_context *copenssl_context_new(copenssl_rules rules);
/// Returns the description of the first error, and forgets all errors; NULL if there is none.
const char *copenssl_reason(void);

copenssl_connection *copenssl_new(
    copenssl_context *context, const char *server_name, const uint8_t *protocols, size_t protocols_count,
    uint16_t minimum_version, uint16_t maximum_version);
/// Sets the owner; called before the handshake.
void copenssl_set_owner(copenssl_connection *connection, void *owner);
void copenssl_free(copenssl_connection *connection);
/// Offers post-handshake authentication (RFC 8446 section 4.2.6).
void copenssl_allow_late_authentication(copenssl_connection *connection);
void copenssl_forbid_renegotiation(copenssl_connection *connection);
int copenssl_resume(copenssl_connection *connection, copenssl_session *session);

int copenssl_handshake(copenssl_connection *connection);
int copenssl_read(copenssl_connection *connection, void *space, size_t count);
int copenssl_write(copenssl_connection *connection, const void *bytes, size_t count);
void copenssl_shutdown(copenssl_connection *connection);

int copenssl_is_handshaking(const copenssl_connection *connection);
size_t copenssl_pending(const copenssl_connection *connection);
copenssl_facts copenssl_get_facts(copenssl_connection *connection);
int copenssl_export(
    copenssl_connection *connection, uint8_t *secret, size_t count, const char *label, size_t label_count,
    const uint8_t *context, size_t context_count, int has_context);

/// Passes on the server's certificates in DER.
void copenssl_certificates(const copenssl_connection *connection, void *list, copenssl_element take);
/// Returns the number of bytes of the stapled OCSP response.
size_t copenssl_staple(copenssl_connection *connection, const uint8_t **bytes);
/// Passes on the names of the issuers that the server accepts, in DER.
void copenssl_issuers(const copenssl_connection *connection, void *list, copenssl_element take);
/// Returns a signature algorithm that the server accepts; zero after the last one.
uint16_t copenssl_scheme(copenssl_connection *connection, int position);
/// Returns the number of the certificate types that the server accepts, which are absent in TLS 1.3.
size_t copenssl_certificate_types(copenssl_connection *connection, const uint8_t **types);
/// Sets the concatenated certificates and the key, all in DER; an empty chain removes them.
int copenssl_set_identity(
    copenssl_connection *connection, const uint8_t *chain, size_t chain_count, const uint8_t *key, size_t key_count);

/// The algorithm of a signature. The names of digests are OpenSSL's.
typedef struct {
    /// The digest; NULL for Ed448, which has its own.
    const char *digest;
    /// The digest of the mask generation function MGF1 of RSASSA-PSS; NULL for other algorithms.
    const char *mask_digest;
    /// The length of the salt of RSASSA-PSS, in octets.
    int salt_length;
} copenssl_signature_rules;

/// Returns whether the key, a SubjectPublicKeyInfo, made the signature.
int copenssl_is_signature_valid(
    const uint8_t *key, size_t key_count, copenssl_signature_rules rules, const uint8_t *signature,
    size_t signature_count, const uint8_t *bytes, size_t count);

/// Returns the time at which a session expires, in seconds since 1970.
uint64_t copenssl_session_expiry(const copenssl_session *session);
/// Returns whether only one connection may use the session.
int copenssl_session_is_single_use(const copenssl_session *session);
void copenssl_session_free(copenssl_session *session);

#endif
