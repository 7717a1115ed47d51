// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors
//
// Validates chains with GnuTLS: gnutls_x509_trust_list_verify_crt2 for a TLS server, with the profile "medium".

#define _GNU_SOURCE
#include "lines.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

static time_t now;

static time_t current_time(time_t *place) {
    if (place) *place = now;
    return now;
}

static int parsed(struct bytes bytes, gnutls_x509_crt_t *certificate) {
    gnutls_datum_t datum = {bytes.data, (unsigned)bytes.count};
    gnutls_x509_crt_init(certificate);
    if (gnutls_x509_crt_import(*certificate, &datum, GNUTLS_X509_FMT_DER) == 0) return 1;
    gnutls_x509_crt_deinit(*certificate);
    return 0;
}

static const struct {
    unsigned bit;
    const char *name;
} reasons[] = {
    {GNUTLS_CERT_SIGNATURE_FAILURE, "signature failure"}, {GNUTLS_CERT_SIGNER_NOT_CA, "signer not CA"},
    {GNUTLS_CERT_SIGNER_CONSTRAINTS_FAILURE, "signer constraints failure"}, {GNUTLS_CERT_INSECURE_ALGORITHM, "insecure algorithm"},
    {GNUTLS_CERT_NOT_ACTIVATED, "not activated"}, {GNUTLS_CERT_EXPIRED, "expired"},
    {GNUTLS_CERT_PURPOSE_MISMATCH, "purpose mismatch"}, {GNUTLS_CERT_UNKNOWN_CRIT_EXTENSIONS, "unknown critical extensions"},
    {GNUTLS_CERT_SIGNER_NOT_FOUND, "signer not found"}, {GNUTLS_CERT_UNEXPECTED_OWNER, "unexpected owner"},
    {GNUTLS_CERT_INVALID, "invalid"},
};

static void judge(struct chain *chain) {
    char reason[256] = "unreadable";
    gnutls_x509_trust_list_t anchors;
    gnutls_x509_crt_t presented[LIMIT + 1];
    unsigned count = 0;
    now = chain->time;
    gnutls_x509_trust_list_init(&anchors, 0);
    for (size_t one = 0; one < chain->anchor_count; one++) {
        gnutls_x509_crt_t anchor;
        if (parsed(chain->anchors[one], &anchor)) gnutls_x509_trust_list_add_cas(anchors, &anchor, 1, 0);
    }
    if (parsed(chain->leaf, &presented[0])) {
        count = 1;
        for (size_t one = 0; one < chain->issuer_count; one++)
            if (parsed(chain->issuers[one], &presented[count])) count++;
        gnutls_typed_vdata_st wanted[2] = {{GNUTLS_DT_KEY_PURPOSE_OID, (void *)GNUTLS_KP_TLS_WWW_SERVER, 0}};
        unsigned wanted_count = 1, status = 0;
        if (*chain->host) {
            // The host as a name, in which GnuTLS also accepts addresses.
            wanted[1] = (gnutls_typed_vdata_st){GNUTLS_DT_DNS_HOSTNAME, (void *)chain->host, 0};
            wanted_count = 2;
        }
        int result = gnutls_x509_trust_list_verify_crt2(
            anchors, presented, count, wanted, wanted_count, GNUTLS_PROFILE_TO_VFLAGS(GNUTLS_PROFILE_MEDIUM), &status, NULL);
        if (result < 0) {
            snprintf(reason, sizeof reason, "error: %s", gnutls_strerror(result));
        } else if (status == 0) {
            strcpy(reason, "ok");
        } else {
            strcpy(reason, "invalid");
            for (size_t one = 0; one < sizeof reasons / sizeof *reasons; one++)
                if (status & reasons[one].bit) {
                    strcpy(reason, reasons[one].name);
                    break;
                }
        }
    }
    for (unsigned one = 0; one < count; one++) gnutls_x509_crt_deinit(presented[one]);
    gnutls_x509_trust_list_deinit(anchors, 1);
    answer(chain, reason);
}

int main(void) {
    struct chain chain;
    gnutls_global_set_time_function(current_time);
    while (next_chain(&chain)) judge(&chain);
    return 0;
}
