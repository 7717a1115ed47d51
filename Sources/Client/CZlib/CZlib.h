// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CZLIB_H
#define COUNTERSIGN_CZLIB_H

#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error "zlib's headers are missing: install zlib1g-dev (Debian) or zlib-devel (Fedora)"
#endif

#endif
