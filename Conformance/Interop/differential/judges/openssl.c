// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors
//
// Validates chains with OpenSSL: X509_verify_cert for a TLS server, at security level 2, with policies. Argument "strict" adds
// X509_V_FLAG_X509_STRICT. A common name is not a host (RFC 9525), and every anchor ends a path.

#define _GNU_SOURCE
#include "lines.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static X509 *parsed(struct bytes bytes) {
    const unsigned char *place = bytes.data;
    X509 *certificate = d2i_X509(NULL, &place, (long)bytes.count);
    // d2i reads only the first of several certificates.
    if (certificate && place != bytes.data + bytes.count) {
        X509_free(certificate);
        return NULL;
    }
    return certificate;
}

static int is_address(const char *host) {
    return strchr(host, ':') || strspn(host, "0123456789.") == strlen(host);
}

static void judge(struct chain *chain, unsigned long flags) {
    char reason[256] = "unreadable";
    X509 *leaf = parsed(chain->leaf);
    X509_STORE *store = X509_STORE_new();
    STACK_OF(X509) *issuers = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    for (size_t one = 0; one < chain->anchor_count; one++) {
        X509 *anchor = parsed(chain->anchors[one]);
        if (anchor) X509_STORE_add_cert(store, anchor);
        X509_free(anchor);
    }
    for (size_t one = 0; one < chain->issuer_count; one++) {
        X509 *issuer = parsed(chain->issuers[one]);
        if (issuer) sk_X509_push(issuers, issuer);
    }
    if (leaf && X509_STORE_CTX_init(context, store, leaf, issuers)) {
        X509_VERIFY_PARAM *wanted = X509_STORE_CTX_get0_param(context);
        X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
        X509_VERIFY_PARAM_set_trust(wanted, X509_TRUST_SSL_SERVER);
        X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK | flags);
        // Without a policy it accepts none, while the default of RFC 5280 section 6.1.1 is any-policy.
        X509_VERIFY_PARAM_add0_policy(wanted, OBJ_nid2obj(NID_any_policy));
        X509_VERIFY_PARAM_set_time(wanted, chain->time);
        X509_VERIFY_PARAM_set_auth_level(wanted, 2);
        X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        int usable = 1;
        if (*chain->host && is_address(chain->host))
            usable = X509_VERIFY_PARAM_set1_ip_asc(wanted, chain->host);
        else if (*chain->host)
            usable = X509_VERIFY_PARAM_set1_host(wanted, chain->host, 0);
        int trusted = X509_verify_cert(context);
        int error = X509_STORE_CTX_get_error(context);
        if (!usable)
            strcpy(reason, "unusable host");
        else if (trusted == 1)
            strcpy(reason, "ok");
        else
            snprintf(reason, sizeof reason, "%s", X509_verify_cert_error_string(error));
    }
    ERR_clear_error();
    X509_STORE_CTX_free(context);
    sk_X509_pop_free(issuers, X509_free);
    X509_STORE_free(store);
    X509_free(leaf);
    answer(chain, reason);
}

int main(int count, char **arguments) {
    unsigned long flags = count > 1 && !strcmp(arguments[1], "strict") ? X509_V_FLAG_X509_STRICT : 0;
    struct chain chain;
    while (next_chain(&chain)) judge(&chain, flags);
    return 0;
}
