// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CZSTD_H
#define COUNTERSIGN_CZSTD_H

#if __has_include(<zstd.h>)
#include <zstd.h>
#include <zstd_errors.h>
#else
#error "the trait Zstd needs zstd's headers: install libzstd-dev (Debian), libzstd-devel (Fedora) or zstd (Homebrew)"
#endif

#endif
