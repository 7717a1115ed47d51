// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors
//
// The lines that judges read: number, seconds since 1970, host, leaf, issuers and anchors, separated by tabs. Certificates are DER
// in Base64, separated by commas. An answer is the number, a tab, and "ok" or the reason of the refusal.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIMIT 64

struct bytes {
    unsigned char *data;
    size_t count;
};

struct chain {
    char *number, *host;
    time_t time;
    struct bytes leaf, issuers[LIMIT], anchors[LIMIT];
    size_t issuer_count, anchor_count;
};

static struct bytes decoded(const char *text) {
    static signed char values[256];
    if (!values['B']) {
        const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        memset(values, -1, sizeof values);
        for (int value = 0; value < 64; value++) values[(unsigned char)alphabet[value]] = (signed char)value;
    }
    struct bytes bytes = {malloc(strlen(text) + 1), 0};
    unsigned group = 0, bits = 0;
    for (; *text && values[(unsigned char)*text] >= 0; text++) {
        group = group << 6 | (unsigned)values[(unsigned char)*text];
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.data[bytes.count++] = (unsigned char)(group >> bits);
    }
    return bytes;
}

static size_t decoded_list(char *text, struct bytes *list) {
    size_t count = 0;
    for (char *one; (one = strsep(&text, ",")) && count < LIMIT;)
        if (*one) list[count++] = decoded(one);
    return count;
}

// Returns 0 at the end of the input.
static int next_chain(struct chain *chain) {
    static char *line;
    static size_t size;
    if (getline(&line, &size, stdin) <= 0) return 0;
    line[strcspn(line, "\n")] = 0;
    char *rest = line;
    chain->number = strsep(&rest, "\t");
    chain->time = (time_t)strtoll(strsep(&rest, "\t"), NULL, 10);
    chain->host = strsep(&rest, "\t");
    chain->leaf = decoded(strsep(&rest, "\t"));
    chain->issuer_count = decoded_list(strsep(&rest, "\t"), chain->issuers);
    chain->anchor_count = decoded_list(strsep(&rest, "\t"), chain->anchors);
    return 1;
}

static void answer(struct chain *chain, const char *reason) {
    printf("%s\t%s\n", chain->number, reason);
    fflush(stdout);
    free(chain->leaf.data);
    for (size_t one = 0; one < chain->issuer_count; one++) free(chain->issuers[one].data);
    for (size_t one = 0; one < chain->anchor_count; one++) free(chain->anchors[one].data);
}
