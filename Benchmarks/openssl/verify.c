// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The OpenSSL program of scripts/bench/trust. It answers each request on standard input, "PREFIX MODE COUNT", with the nanoseconds
// of processor time that COUNT validations took. PREFIX stands for PREFIX-leaf.der, -intermediate.der and -root.der.

#include "input.h"

#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    Bytes leaf_bytes, intermediate_bytes;
    X509 *leaf, *intermediate, *root;
    X509_STORE *store;
} Chain;

static X509 *parse(Bytes bytes) {
    const unsigned char *position = bytes.bytes;
    X509 *certificate = d2i_X509(NULL, &position, bytes.size);
    if (!certificate) fail("a certificate cannot be read");
    return certificate;
}

static Chain load(const char *prefix) {
    Chain chain = {0};
    chain.leaf_bytes = read_file(prefix, "leaf");
    chain.intermediate_bytes = read_file(prefix, "intermediate");
    Bytes root_bytes = read_file(prefix, "root");
    chain.leaf = parse(chain.leaf_bytes);
    chain.intermediate = parse(chain.intermediate_bytes);
    chain.root = parse(root_bytes);
    free(root_bytes.bytes);
    chain.store = X509_STORE_new();
    if (!chain.store || !X509_STORE_add_cert(chain.store, chain.root)) fail("no store");
    return chain;
}

static void unload(Chain chain) {
    X509_STORE_free(chain.store);
    X509_free(chain.leaf);
    X509_free(chain.intermediate);
    X509_free(chain.root);
    free(chain.leaf_bytes.bytes);
    free(chain.intermediate_bytes.bytes);
}

static void verify(X509_STORE *store, X509 *leaf, X509 *intermediate, const char *host) {
    STACK_OF(X509) *issuers = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    if (!issuers || !context || !sk_X509_push(issuers, intermediate)) fail("no memory");
    if (!X509_STORE_CTX_init(context, store, leaf, issuers)) fail("no context");
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    if (!X509_VERIFY_PARAM_set1_host(parameters, host, 0)) fail("no host");
    if (!X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)) fail("no purpose");
    if (X509_verify_cert(context) != 1) fail(X509_verify_cert_error_string(X509_STORE_CTX_get_error(context)));
    X509_STORE_CTX_free(context);
    sk_X509_free(issuers);
}

static void run(const Chain *chain, const char *mode, const char *host) {
    if (strcmp(mode, "signatures") == 0) {
        if (X509_verify(chain->leaf, X509_get0_pubkey(chain->intermediate)) != 1) fail("the leaf's signature");
        if (X509_verify(chain->intermediate, X509_get0_pubkey(chain->root)) != 1) fail("the intermediate's signature");
    } else if (strcmp(mode, "parsed") == 0) {
        X509_up_ref(chain->leaf);
        X509_up_ref(chain->intermediate);
        verify(chain->store, chain->leaf, chain->intermediate, host);
        X509_free(chain->leaf);
        X509_free(chain->intermediate);
    } else if (strcmp(mode, "bytes") == 0) {
        X509 *leaf = parse(chain->leaf_bytes), *intermediate = parse(chain->intermediate_bytes);
        verify(chain->store, leaf, intermediate, host);
        X509_free(leaf);
        X509_free(intermediate);
    } else {
        fail("an unknown mode");
    }
}

static long long processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int count, char **arguments) {
    char prefix[4096], mode[32];
    long rounds;
    if (count != 2) fail("usage: openssl-bench HOST");
    printf("%s\n", OpenSSL_version(OPENSSL_VERSION));
    fflush(stdout);
    while (scanf("%4095s %31s %ld", prefix, mode, &rounds) == 3) {
        Chain chain = load(prefix);
        long long start = processor_time();
        for (long i = 0; i < rounds; i++) run(&chain, mode, arguments[1]);
        printf("%lld\n", processor_time() - start);
        fflush(stdout);
        unload(chain);
    }
    return 0;
}
