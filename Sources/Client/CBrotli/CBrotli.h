// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CBROTLI_H
#define COUNTERSIGN_CBROTLI_H

#if __has_include(<brotli/decode.h>)
#include <brotli/decode.h>
// Only the tests use the encoder, and only they link libbrotlienc.
#include <brotli/encode.h>
#else
#error "the trait Brotli needs brotli's headers: install libbrotli-dev (Debian), brotli-devel (Fedora) or brotli (Homebrew)"
#endif

#endif
