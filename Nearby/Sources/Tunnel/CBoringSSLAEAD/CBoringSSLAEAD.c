// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#include "CBoringSSLAEAD.h"

#if defined(__linux__)

// The declarations of BoringSSL's aead.h, with the symbol prefix of swift-crypto. If a release renames a symbol,
// linking fails; a test compares the results with those of ChaChaPoly.
const void *CCryptoBoringSSL_EVP_aead_chacha20_poly1305(void);
void *CCryptoBoringSSL_EVP_AEAD_CTX_new(const void *aead, const uint8_t *key, size_t key_len, size_t tag_len);
void CCryptoBoringSSL_EVP_AEAD_CTX_free(void *ctx);
int CCryptoBoringSSL_EVP_AEAD_CTX_seal_scatter(
    const void *ctx, uint8_t *out, uint8_t *out_tag, size_t *out_tag_len, size_t max_out_tag_len, const uint8_t *nonce,
    size_t nonce_len, const uint8_t *in, size_t in_len, const uint8_t *extra_in, size_t extra_in_len, const uint8_t *ad,
    size_t ad_len);
int CCryptoBoringSSL_EVP_AEAD_CTX_open_gather(
    const void *ctx, uint8_t *out, const uint8_t *nonce, size_t nonce_len, const uint8_t *in, size_t in_len,
    const uint8_t *in_tag, size_t in_tag_len, const uint8_t *ad, size_t ad_len);

chacha20_poly1305_key *chacha20_poly1305_key_new(const uint8_t *key) {
    return CCryptoBoringSSL_EVP_AEAD_CTX_new(CCryptoBoringSSL_EVP_aead_chacha20_poly1305(), key, 32, 16);
}

void chacha20_poly1305_key_free(chacha20_poly1305_key *key) { CCryptoBoringSSL_EVP_AEAD_CTX_free(key); }

int chacha20_poly1305_seal(const chacha20_poly1305_key *key, const uint8_t *nonce, uint8_t *text, size_t count) {
    size_t tag_len;
    return CCryptoBoringSSL_EVP_AEAD_CTX_seal_scatter(
        key, text, text + count, &tag_len, 16, nonce, 12, text, count, NULL, 0, NULL, 0);
}

int chacha20_poly1305_open(const chacha20_poly1305_key *key, const uint8_t *nonce, uint8_t *text, size_t count) {
    return CCryptoBoringSSL_EVP_AEAD_CTX_open_gather(key, text, nonce, 12, text, count, text + count, 16, NULL, 0);
}

#endif
