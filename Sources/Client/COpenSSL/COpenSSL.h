// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_COPENSSL_H
#define COUNTERSIGN_COPENSSL_H

// SwiftPM reads the paths of pkg-config for this module. COpenSSLShim.c includes the headers; no Swift file may import
// them (see COpenSSLShim.h).
#include <openssl/ssl.h>

#endif
