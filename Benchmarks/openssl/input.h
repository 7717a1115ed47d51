// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Shared by the OpenSSL programs of scripts/bench/trust: files are read completely, and the first error ends the program.

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    unsigned char *bytes;
    long size;
} Bytes;

static void fail(const char *what) {
    fprintf(stderr, "openssl-bench: %s\n", what);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static Bytes read_file(const char *prefix, const char *name) {
    char path[4096];
    Bytes result = {NULL, 0};
    if (snprintf(path, sizeof path, "%s-%s.der", prefix, name) >= (int)sizeof path) fail("the path is too long");
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (result.size = ftell(file)) <= 0) fail(path);
    rewind(file);
    result.bytes = malloc((size_t)result.size);
    if (!result.bytes || fread(result.bytes, 1, (size_t)result.size, file) != (size_t)result.size) fail(path);
    fclose(file);
    return result;
}
