// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// System calls of Linux whose macros, unions and control messages Swift cannot import. Each returns -1 with errno, unless said otherwise.

#ifndef CTUNNEL_H
#define CTUNNEL_H

#if defined(__linux__)

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define TUNNEL_NAME_SIZE 16

// Interfaces. A name is at most 15 bytes and NUL.

// Opens a new TAP interface, which lives as long as the descriptor. The name may have "%d", for which the kernel chooses a number;
// name gets the chosen one. Frames have a header of struct virtio_net_hdr; *offloads says whether superframes may come and go.
int tunnel_tap_open(char name[TUNNEL_NAME_SIZE], int *offloads);
int tunnel_link_index(const char *name);
int tunnel_link_mtu(const char *name);
int tunnel_link_set_mtu(const char *name, int mtu);
int tunnel_link_set_up(const char *name);
int tunnel_link_address(const char *name, uint8_t address[6]);
// Whether the interface has an IPv4 address: 1 or 0.
int tunnel_link_has_address(const char *name);
int tunnel_bridge_add(const char *bridge);
int tunnel_bridge_remove(const char *bridge);
int tunnel_bridge_attach(const char *bridge, const char *link);
int tunnel_bridge_detach(const char *bridge, const char *link);
// The alias is a text of at most 255 bytes that the kernel keeps with an interface.
int tunnel_link_set_alias(const char *name, const char *alias);
// Says whether a bridge has the alias, and how many ports it has.
int tunnel_bridge_look(const char *bridge, const char *alias, int *is_alias, int *ports);

// Sockets.

// Sets the options of a UDP socket: large buffers, no fragments, errors queued, GRO where there is. *batches tells whether
// UDP_SEGMENT and UDP_GRO work.
int tunnel_udp_prepare(int descriptor, int family, int *batches);
int tunnel_raw_prepare(int descriptor, int family);

// Writes an address of 4 or 16 bytes, in network order, with a port in host order; an address of IPv4 as one of IPv6
// (RFC 4291 section 2.5.5.2) where is_mapped. Returns the length of the structure.
socklen_t tunnel_address_write(struct sockaddr_storage *address, const uint8_t *bytes, size_t count, uint16_t port, uint32_t scope,
                               int is_mapped);
// Reads an address; one of IPv4 that is written as one of IPv6 has 4 bytes. Returns how many bytes there are, 0 for other families.
size_t tunnel_address_read(const struct sockaddr_storage *address, uint8_t bytes[16], uint16_t *port, uint32_t *scope);

// One system call's worth of datagrams: where they are, from or to where, and into how long pieces each is divided.
struct tunnel_datagram {
    struct iovec bytes;
    struct sockaddr_storage address;
    socklen_t address_length;
    // The length of each piece but the last; 0 where there is one.
    uint16_t segment;
};

#define TUNNEL_BATCH 32

// Returns how many were received, with the lengths in bytes.iov_len.
int tunnel_receive(int descriptor, struct tunnel_datagram *datagrams, int count);
// Returns how many were sent.
int tunnel_send(int descriptor, struct tunnel_datagram *datagrams, int count);
// Empties the queue of errors, such as the ICMP messages that datagrams were answered with, and returns how many there were.
int tunnel_discard_errors(int descriptor);
// The path MTU that the kernel knows for a destination.
int tunnel_path_mtu(const struct sockaddr_storage *destination, socklen_t length);

// Privileges of the calling thread, which threads made afterwards inherit.

// Becomes another user, where uid is not 0, and gives up every capability but those in the mask, and the gaining of new ones.
int tunnel_drop_privileges(uid_t uid, gid_t gid, uint64_t capabilities);

#endif
#endif
