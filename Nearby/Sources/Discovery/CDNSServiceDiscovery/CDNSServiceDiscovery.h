// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CDNSSERVICEDISCOVERY_H
#define COUNTERSIGN_CDNSSERVICEDISCOVERY_H

#if __has_include(<dns_sd.h>)
#include <dns_sd.h>
#else
#error "the trait DNSServiceDiscovery needs the header dns_sd.h: install libavahi-compat-libdnssd-dev (Debian) or avahi-compat-libdns_sd-devel (Fedora)"
#endif

#endif
