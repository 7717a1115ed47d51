// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CPOSTGRESQL_H
#define COUNTERSIGN_CPOSTGRESQL_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "the trait PostgreSQL needs libpq's headers: install libpq-dev (Debian), libpq-devel (Fedora) or libpq (Homebrew)"
#endif

#endif
