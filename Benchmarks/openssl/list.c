// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The OpenSSL program for revocation lists in scripts/bench/trust. It answers each request on standard input, "PREFIX MODE COUNT".
// PREFIX stands for PREFIX-list.der, PREFIX-root.der, which signed it, and PREFIX-server.der, which is looked up.
//   bytes   nanoseconds of processor time to read the list from bytes, check its signature, and look the certificate up
//   lookup  nanoseconds of processor time to look it up again in a list that was already read
//   memory  bytes by which reading the file and the work of "bytes" raise the peak of the resident memory

#include "input.h"

#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static X509 *read_certificate(const char *prefix, const char *name) {
    Bytes bytes = read_file(prefix, name);
    const unsigned char *position = bytes.bytes;
    X509 *certificate = d2i_X509(NULL, &position, bytes.size);
    if (!certificate) fail("a certificate cannot be read");
    free(bytes.bytes);
    return certificate;
}

static X509_CRL *parse(Bytes bytes) {
    const unsigned char *position = bytes.bytes;
    X509_CRL *list = d2i_X509_CRL(NULL, &position, bytes.size);
    if (!list) fail("the list cannot be read");
    return list;
}

static void look_up(X509_CRL *list, X509 *server) {
    X509_REVOKED *entry = NULL;
    if (X509_CRL_get0_by_serial(list, &entry, X509_get_serialNumber(server)) != 1) fail("it is not listed");
}

static X509_CRL *check(Bytes bytes, X509 *root, X509 *server) {
    X509_CRL *list = parse(bytes);
    if (X509_CRL_verify(list, X509_get0_pubkey(root)) != 1) fail("the list's signature");
    look_up(list, server);
    return list;
}

static long long processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The getrusage peak on Linux begins with that of the parent process; the value in this file does not.
static long long peak_memory(void) {
#ifdef __APPLE__
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
#else
    char line[256];
    long long peak = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) fail("/proc/self/status");
    while (fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %lld", &peak);
    fclose(file);
    return peak * 1024;
#endif
}

static long long run(const char *prefix, const char *mode, long rounds) {
    X509 *root = read_certificate(prefix, "root"), *server = read_certificate(prefix, "server");
    long long before = peak_memory(), result;
    Bytes bytes = read_file(prefix, "list");
    if (strcmp(mode, "bytes") == 0) {
        long long start = processor_time();
        for (long i = 0; i < rounds; i++) X509_CRL_free(check(bytes, root, server));
        result = processor_time() - start;
    } else if (strcmp(mode, "lookup") == 0) {
        X509_CRL *list = check(bytes, root, server);
        long long start = processor_time();
        for (long i = 0; i < rounds; i++) look_up(list, server);
        result = processor_time() - start;
        X509_CRL_free(list);
    } else {
        X509_CRL *list = check(bytes, root, server);
        result = peak_memory() - before;
        X509_CRL_free(list);
    }
    free(bytes.bytes);
    X509_free(root);
    X509_free(server);
    return result;
}

int main(void) {
    char prefix[4096], mode[32];
    long rounds;
    printf("%s\n", OpenSSL_version(OPENSSL_VERSION));
    fflush(stdout);
    while (scanf("%4095s %31s %ld", prefix, mode, &rounds) == 3) {
        printf("%lld\n", run(prefix, mode, rounds));
        fflush(stdout);
    }
    return 0;
}
