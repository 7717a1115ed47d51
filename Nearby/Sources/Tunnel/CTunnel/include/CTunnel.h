// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Linux system calls with macros, unions and control messages that Swift cannot import. Unless noted otherwise, a
// function returns -1 and sets errno if it fails.

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

// Interfaces. A name has at most 15 bytes and a NUL.

// Creates a TAP interface, which exists until the descriptor is closed. The kernel replaces "%d" in the name by a number,
// and name receives the result. Frames have a header of struct virtio_net_hdr; *offloads receives whether the interface
// exchanges frames with several segments.
int tunnel_tap_open(char name[TUNNEL_NAME_SIZE], int *offloads);
int tunnel_link_index(const char *name);
int tunnel_link_mtu(const char *name);
int tunnel_link_set_mtu(const char *name, int mtu);
int tunnel_link_set_up(const char *name);
int tunnel_link_address(const char *name, uint8_t address[6]);
// Returns 1 if the interface has an IPv4 address, and 0 otherwise.
int tunnel_link_has_address(const char *name);
int tunnel_bridge_add(const char *bridge);
int tunnel_bridge_remove(const char *bridge);
int tunnel_bridge_attach(const char *bridge, const char *link);
int tunnel_bridge_detach(const char *bridge, const char *link);
// An alias is a text of at most 255 bytes that the kernel stores with an interface.
int tunnel_link_set_alias(const char *name, const char *alias);
// Determines whether a bridge has the alias, and the number of its ports.
int tunnel_bridge_look(const char *bridge, const char *alias, int *is_alias, int *ports);

// Sockets.

// Sets the options of a UDP socket: large buffers, no fragmentation, an error queue, and GRO if available. *batches receives
// whether UDP_SEGMENT and UDP_GRO work.
int tunnel_udp_prepare(int descriptor, int family, int *batches);
int tunnel_raw_prepare(int descriptor, int family);

// Writes an address of 4 or 16 bytes in network byte order, with a port in host byte order; with is_mapped, an IPv4 address
// becomes an IPv4-mapped address (RFC 4291 section 2.5.5.2). Returns the length of the structure.
socklen_t tunnel_address_write(struct sockaddr_storage *address, const uint8_t *bytes, size_t count, uint16_t port, uint32_t scope,
                               int is_mapped);
// Reads an address; an IPv4-mapped address becomes one of 4 bytes. Returns the number of bytes, or 0 for other families.
size_t tunnel_address_read(const struct sockaddr_storage *address, uint8_t bytes[16], uint16_t *port, uint32_t *scope);

// The datagrams of one system call: their memory, their peer addresses, and the length of the segments of each.
struct tunnel_datagram {
    struct iovec bytes;
    struct sockaddr_storage address;
    socklen_t address_length;
    // The length of each segment except the last; 0 if there is only one.
    uint16_t segment;
};

#define TUNNEL_BATCH 32

// Returns the number of received datagrams, with the lengths in bytes.iov_len.
int tunnel_receive(int descriptor, struct tunnel_datagram *datagrams, int count);
// Returns the number of sent datagrams.
int tunnel_send(int descriptor, struct tunnel_datagram *datagrams, int count);
// Empties the error queue, which contains errors such as received ICMP messages, and returns the number of errors.
int tunnel_discard_errors(int descriptor);
// Returns the kernel's path MTU for a destination.
int tunnel_path_mtu(const struct sockaddr_storage *destination, socklen_t length);

// The privileges of the calling thread, which threads created afterwards inherit.

// Switches to another user if uid is not 0, drops every capability except those in the mask, and prevents new ones.
int tunnel_drop_privileges(uid_t uid, gid_t gid, uint64_t capabilities);

#endif
#endif
