// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CYAML_H
#define COUNTERSIGN_CYAML_H

#if __has_include(<yaml.h>)
#include <yaml.h>
#else
#error "libyaml's headers are missing: install libyaml-dev (Debian), libyaml-devel (Fedora) or libyaml (Homebrew)"
#endif

#endif
