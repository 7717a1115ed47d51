// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The functions of OpenSSL, which is loaded when a connection or a signature first needs it. Linking would cost each start of a program a
// millisecond, and a program could not start without OpenSSL. The types come from OpenSSL's headers.

#include <dlfcn.h>

#define SSL_FUNCTIONS(F) \
    F(OPENSSL_init_ssl) F(SSL_CIPHER_standard_name) F(SSL_CTX_add_custom_ext) F(SSL_CTX_callback_ctrl) \
    F(SSL_CTX_clear_options) F(SSL_CTX_ctrl) F(SSL_CTX_get_ex_data) F(SSL_CTX_new_ex) F(SSL_CTX_remove_session) \
    F(SSL_CTX_sess_set_new_cb) F(SSL_CTX_set_cert_cb) F(SSL_CTX_set_cert_verify_callback) F(SSL_CTX_set_cipher_list) \
    F(SSL_CTX_set_ciphersuites) F(SSL_CTX_set_ex_data) F(SSL_CTX_set_info_callback) F(SSL_CTX_set_keylog_callback) \
    F(SSL_CTX_set_options) F(SSL_CTX_set_security_level) F(SSL_CTX_set_verify) F(SSL_SESSION_dup) \
    F(SSL_SESSION_free) F(SSL_SESSION_get_protocol_version) F(SSL_SESSION_get_ticket_lifetime_hint) \
    F(SSL_SESSION_get_time) F(SSL_SESSION_get_timeout) F(SSL_SESSION_is_resumable) F(SSL_certs_clear) \
    F(SSL_check_chain) F(SSL_ctrl) F(SSL_do_handshake) F(SSL_export_keying_material) F(SSL_free) \
    F(SSL_get0_alpn_selected) F(SSL_get0_peer_CA_list) F(SSL_get0_peer_certificate) F(SSL_get1_peer_certificate) \
    F(SSL_get_SSL_CTX) F(SSL_get_current_cipher) F(SSL_get_error) F(SSL_get_ex_data) \
    F(SSL_get_ex_data_X509_STORE_CTX_idx) F(SSL_get_peer_cert_chain) F(SSL_get_peer_signature_type_nid) \
    F(SSL_get_rbio) F(SSL_get_session) F(SSL_get_sigalgs) F(SSL_in_init) F(SSL_is_init_finished) F(SSL_new) \
    F(SSL_pending) F(SSL_read) F(SSL_session_reused) F(SSL_set_alpn_protos) F(SSL_set_bio) F(SSL_set_connect_state) \
    F(SSL_set_ex_data) F(SSL_set_options) F(SSL_set_post_handshake_auth) F(SSL_set_session) F(SSL_shutdown) \
    F(SSL_use_cert_and_key) F(SSL_version) F(SSL_write) F(TLS_client_method)
#define CRYPTO_FUNCTIONS(F) \
    F(BIO_clear_flags) F(BIO_free) F(BIO_get_data) F(BIO_get_new_index) F(BIO_meth_new) F(BIO_meth_set_ctrl) \
    F(BIO_meth_set_read) F(BIO_meth_set_write) F(BIO_new) F(BIO_set_data) F(BIO_set_flags) F(BIO_set_init) \
    F(CONF_modules_load_file_ex) F(CRYPTO_free) F(CRYPTO_get_ex_new_index) F(ERR_clear_error) F(ERR_new) \
    F(ERR_peek_error) F(ERR_reason_error_string) F(ERR_set_debug) F(ERR_set_error) F(EVP_DigestVerify) \
    F(EVP_DigestVerifyInit_ex) F(EVP_MD_CTX_free) F(EVP_MD_CTX_new) F(EVP_PKEY_CTX_set_rsa_mgf1_md_name) \
    F(EVP_PKEY_CTX_set_rsa_padding) F(EVP_PKEY_CTX_set_rsa_pss_saltlen) F(EVP_PKEY_free) \
    F(EVP_PKEY_get_base_id) F(OPENSSL_cleanse) F(OPENSSL_hexchar2int) F(OPENSSL_init_crypto) F(OPENSSL_sk_new_null) \
    F(OPENSSL_sk_num) F(OPENSSL_sk_pop_free) F(OPENSSL_sk_push) F(OPENSSL_sk_value) F(OSSL_LIB_CTX_new) \
    F(OpenSSL_version_num) F(X509_NAME_get0_der) F(X509_STORE_CTX_get0_cert) F(X509_STORE_CTX_get_ex_data) \
    F(X509_STORE_CTX_set_error) F(X509_cmp) F(X509_free) F(X509_get0_pubkey) F(d2i_AutoPrivateKey_ex) F(d2i_PUBKEY) \
    F(d2i_X509) F(i2d_X509)

#define MEMBER(name) __typeof__(name) *name;
static struct { SSL_FUNCTIONS(MEMBER) CRYPTO_FUNCTIONS(MEMBER) } openssl;

/// Loads OpenSSL, which is never unloaded; called once.
static int load(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
#define FIND(name) && (*(void **)&openssl.name = dlsym(library, #name)) != NULL
    if (library == NULL || !(1 CRYPTO_FUNCTIONS(FIND))) return 0;
    library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    return library != NULL && (1 SSL_FUNCTIONS(FIND));
}

// The calls below this line, and those in the macros of OpenSSL's headers, are made through the table.
#define OPENSSL_init_ssl openssl.OPENSSL_init_ssl
#define SSL_CIPHER_standard_name openssl.SSL_CIPHER_standard_name
#define SSL_CTX_add_custom_ext openssl.SSL_CTX_add_custom_ext
#define SSL_CTX_callback_ctrl openssl.SSL_CTX_callback_ctrl
#define SSL_CTX_clear_options openssl.SSL_CTX_clear_options
#define SSL_CTX_ctrl openssl.SSL_CTX_ctrl
#define SSL_CTX_get_ex_data openssl.SSL_CTX_get_ex_data
#define SSL_CTX_new_ex openssl.SSL_CTX_new_ex
#define SSL_CTX_remove_session openssl.SSL_CTX_remove_session
#define SSL_CTX_sess_set_new_cb openssl.SSL_CTX_sess_set_new_cb
#define SSL_CTX_set_cert_cb openssl.SSL_CTX_set_cert_cb
#define SSL_CTX_set_cert_verify_callback openssl.SSL_CTX_set_cert_verify_callback
#define SSL_CTX_set_cipher_list openssl.SSL_CTX_set_cipher_list
#define SSL_CTX_set_ciphersuites openssl.SSL_CTX_set_ciphersuites
#define SSL_CTX_set_ex_data openssl.SSL_CTX_set_ex_data
#define SSL_CTX_set_info_callback openssl.SSL_CTX_set_info_callback
#define SSL_CTX_set_keylog_callback openssl.SSL_CTX_set_keylog_callback
#define SSL_CTX_set_options openssl.SSL_CTX_set_options
#define SSL_CTX_set_security_level openssl.SSL_CTX_set_security_level
#define SSL_CTX_set_verify openssl.SSL_CTX_set_verify
#define SSL_SESSION_dup openssl.SSL_SESSION_dup
#define SSL_SESSION_free openssl.SSL_SESSION_free
#define SSL_SESSION_get_protocol_version openssl.SSL_SESSION_get_protocol_version
#define SSL_SESSION_get_ticket_lifetime_hint openssl.SSL_SESSION_get_ticket_lifetime_hint
#define SSL_SESSION_get_time openssl.SSL_SESSION_get_time
#define SSL_SESSION_get_timeout openssl.SSL_SESSION_get_timeout
#define SSL_SESSION_is_resumable openssl.SSL_SESSION_is_resumable
#define SSL_certs_clear openssl.SSL_certs_clear
#define SSL_check_chain openssl.SSL_check_chain
#define SSL_ctrl openssl.SSL_ctrl
#define SSL_do_handshake openssl.SSL_do_handshake
#define SSL_export_keying_material openssl.SSL_export_keying_material
#define SSL_free openssl.SSL_free
#define SSL_get0_alpn_selected openssl.SSL_get0_alpn_selected
#define SSL_get0_peer_CA_list openssl.SSL_get0_peer_CA_list
#define SSL_get0_peer_certificate openssl.SSL_get0_peer_certificate
#define SSL_get1_peer_certificate openssl.SSL_get1_peer_certificate
#define SSL_get_SSL_CTX openssl.SSL_get_SSL_CTX
#define SSL_get_current_cipher openssl.SSL_get_current_cipher
#define SSL_get_error openssl.SSL_get_error
#define SSL_get_ex_data openssl.SSL_get_ex_data
#define SSL_get_ex_data_X509_STORE_CTX_idx openssl.SSL_get_ex_data_X509_STORE_CTX_idx
#define SSL_get_peer_cert_chain openssl.SSL_get_peer_cert_chain
#define SSL_get_peer_signature_type_nid openssl.SSL_get_peer_signature_type_nid
#define SSL_get_rbio openssl.SSL_get_rbio
#define SSL_get_session openssl.SSL_get_session
#define SSL_get_sigalgs openssl.SSL_get_sigalgs
#define SSL_in_init openssl.SSL_in_init
#define SSL_is_init_finished openssl.SSL_is_init_finished
#define SSL_new openssl.SSL_new
#define SSL_pending openssl.SSL_pending
#define SSL_read openssl.SSL_read
#define SSL_session_reused openssl.SSL_session_reused
#define SSL_set_alpn_protos openssl.SSL_set_alpn_protos
#define SSL_set_bio openssl.SSL_set_bio
#define SSL_set_connect_state openssl.SSL_set_connect_state
#define SSL_set_ex_data openssl.SSL_set_ex_data
#define SSL_set_options openssl.SSL_set_options
#define SSL_set_post_handshake_auth openssl.SSL_set_post_handshake_auth
#define SSL_set_session openssl.SSL_set_session
#define SSL_shutdown openssl.SSL_shutdown
#define SSL_use_cert_and_key openssl.SSL_use_cert_and_key
#define SSL_version openssl.SSL_version
#define SSL_write openssl.SSL_write
#define TLS_client_method openssl.TLS_client_method
#define BIO_clear_flags openssl.BIO_clear_flags
#define BIO_free openssl.BIO_free
#define BIO_get_data openssl.BIO_get_data
#define BIO_get_new_index openssl.BIO_get_new_index
#define BIO_meth_new openssl.BIO_meth_new
#define BIO_meth_set_ctrl openssl.BIO_meth_set_ctrl
#define BIO_meth_set_read openssl.BIO_meth_set_read
#define BIO_meth_set_write openssl.BIO_meth_set_write
#define BIO_new openssl.BIO_new
#define BIO_set_data openssl.BIO_set_data
#define BIO_set_flags openssl.BIO_set_flags
#define BIO_set_init openssl.BIO_set_init
#define CONF_modules_load_file_ex openssl.CONF_modules_load_file_ex
#define CRYPTO_free openssl.CRYPTO_free
#define CRYPTO_get_ex_new_index openssl.CRYPTO_get_ex_new_index
#define ERR_clear_error openssl.ERR_clear_error
#define ERR_new openssl.ERR_new
#define ERR_peek_error openssl.ERR_peek_error
#define ERR_reason_error_string openssl.ERR_reason_error_string
#define ERR_set_debug openssl.ERR_set_debug
#define ERR_set_error openssl.ERR_set_error
#define EVP_DigestVerify openssl.EVP_DigestVerify
#define EVP_DigestVerifyInit_ex openssl.EVP_DigestVerifyInit_ex
#define EVP_MD_CTX_free openssl.EVP_MD_CTX_free
#define EVP_MD_CTX_new openssl.EVP_MD_CTX_new
#define EVP_PKEY_CTX_set_rsa_mgf1_md_name openssl.EVP_PKEY_CTX_set_rsa_mgf1_md_name
#define EVP_PKEY_CTX_set_rsa_padding openssl.EVP_PKEY_CTX_set_rsa_padding
#define EVP_PKEY_CTX_set_rsa_pss_saltlen openssl.EVP_PKEY_CTX_set_rsa_pss_saltlen
#define EVP_PKEY_free openssl.EVP_PKEY_free
#define EVP_PKEY_get_base_id openssl.EVP_PKEY_get_base_id
#define OPENSSL_cleanse openssl.OPENSSL_cleanse
#define OPENSSL_hexchar2int openssl.OPENSSL_hexchar2int
#define OPENSSL_init_crypto openssl.OPENSSL_init_crypto
#define OPENSSL_sk_new_null openssl.OPENSSL_sk_new_null
#define OPENSSL_sk_num openssl.OPENSSL_sk_num
#define OPENSSL_sk_pop_free openssl.OPENSSL_sk_pop_free
#define OPENSSL_sk_push openssl.OPENSSL_sk_push
#define OPENSSL_sk_value openssl.OPENSSL_sk_value
#define OSSL_LIB_CTX_new openssl.OSSL_LIB_CTX_new
#define OpenSSL_version_num openssl.OpenSSL_version_num
#define X509_NAME_get0_der openssl.X509_NAME_get0_der
#define X509_STORE_CTX_get0_cert openssl.X509_STORE_CTX_get0_cert
#define X509_STORE_CTX_get_ex_data openssl.X509_STORE_CTX_get_ex_data
#define X509_STORE_CTX_set_error openssl.X509_STORE_CTX_set_error
#define X509_cmp openssl.X509_cmp
#define X509_free openssl.X509_free
#define X509_get0_pubkey openssl.X509_get0_pubkey
#define d2i_AutoPrivateKey_ex openssl.d2i_AutoPrivateKey_ex
#define d2i_PUBKEY openssl.d2i_PUBKEY
#define d2i_X509 openssl.d2i_X509
#define i2d_X509 openssl.i2d_X509
