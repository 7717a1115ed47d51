// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CGSSAPI_H
#define COUNTERSIGN_CGSSAPI_H

#if defined(__APPLE__)
#include <GSS/GSS.h>
#elif __has_include(<gssapi/gssapi_ext.h>)
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#else
#error "the trait Negotiate needs MIT Kerberos' headers: install libkrb5-dev (Debian) or krb5-devel (Fedora)"
#endif

// The libraries export these as mutable variables, which Swift 6 rejects as not concurrency-safe.

/// Returns the SPNEGO mechanism (RFC 4178 section 3.1): 1.3.6.1.5.5.2.
static inline gss_OID cgssapi_mechanism_spnego(void) {
    static gss_OID_desc identifier = {6, (void *)"\x2b\x06\x01\x05\x05\x02"};
    return &identifier;
}

/// Returns the Kerberos mechanism (RFC 4121 section 1): 1.2.840.113554.1.2.2.
static inline gss_OID cgssapi_mechanism_kerberos(void) {
    static gss_OID_desc identifier = {9, (void *)"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
    return &identifier;
}

/// Returns GSS_C_NT_HOSTBASED_SERVICE (RFC 2744 section 3.12): 1.2.840.113554.1.2.1.4.
static inline gss_OID cgssapi_name_of_service(void) {
    static gss_OID_desc identifier = {10, (void *)"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
    return &identifier;
}

/// Returns GSS_C_NT_USER_NAME (RFC 2744 section 3.12): 1.2.840.113554.1.2.1.1.
static inline gss_OID cgssapi_name_of_user(void) {
    static gss_OID_desc identifier = {10, (void *)"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x01"};
    return &identifier;
}

#endif
