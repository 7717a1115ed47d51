// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if defined(__linux__)
#define _GNU_SOURCE
#include "CTunnel.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

static int close_with_error(int descriptor) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int tunnel_tap_open(char name[TUNNEL_NAME_SIZE], int *offloads) {
    int tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (tap < 0) return -1;
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    int header = 10;
    if (ioctl(tap, TUNSETIFF, &request) < 0 || ioctl(tap, TUNSETVNETHDRSZ, &header) < 0) return close_with_error(tap);
    *offloads = ioctl(tap, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) == 0;
    memcpy(name, request.ifr_name, IFNAMSIZ);
    return tap;
}

// Performs an ioctl for an interface, on a temporary socket.
static int link_request(unsigned long code, const char *name, struct ifreq *request) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    strncpy(request->ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(descriptor, code, request) < 0) return close_with_error(descriptor);
    close(descriptor);
    return 0;
}

int tunnel_link_index(const char *name) {
    struct ifreq request = {0};
    return link_request(SIOCGIFINDEX, name, &request) < 0 ? -1 : request.ifr_ifindex;
}

int tunnel_link_mtu(const char *name) {
    struct ifreq request = {0};
    return link_request(SIOCGIFMTU, name, &request) < 0 ? -1 : request.ifr_mtu;
}

int tunnel_link_set_mtu(const char *name, int mtu) {
    struct ifreq request = {.ifr_mtu = mtu};
    return link_request(SIOCSIFMTU, name, &request);
}

int tunnel_link_set_up(const char *name) {
    struct ifreq request = {0};
    if (link_request(SIOCGIFFLAGS, name, &request) < 0) return -1;
    request.ifr_flags |= IFF_UP;
    return link_request(SIOCSIFFLAGS, name, &request);
}

int tunnel_link_address(const char *name, uint8_t address[6]) {
    struct ifreq request = {0};
    if (link_request(SIOCGIFHWADDR, name, &request) < 0) return -1;
    memcpy(address, request.ifr_hwaddr.sa_data, 6);
    return 0;
}

int tunnel_link_has_address(const char *name) {
    struct ifreq request = {0};
    return link_request(SIOCGIFADDR, name, &request) == 0;
}

static int bridge_request(unsigned long code, const char *bridge) {
    char name[IFNAMSIZ] = {0};
    strncpy(name, bridge, IFNAMSIZ - 1);
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (ioctl(descriptor, code, name) < 0) return close_with_error(descriptor);
    close(descriptor);
    return 0;
}

int tunnel_bridge_add(const char *bridge) { return bridge_request(SIOCBRADDBR, bridge); }

int tunnel_bridge_remove(const char *bridge) {
    // The kernel does not remove a bridge that is up.
    struct ifreq request = {0};
    if (link_request(SIOCGIFFLAGS, bridge, &request) < 0) return -1;
    request.ifr_flags &= ~IFF_UP;
    if (link_request(SIOCSIFFLAGS, bridge, &request) < 0) return -1;
    return bridge_request(SIOCBRDELBR, bridge);
}

static int bridge_port(unsigned long code, const char *bridge, const char *link) {
    int index = tunnel_link_index(link);
    if (index < 0) return -1;
    struct ifreq request = {.ifr_ifindex = index};
    return link_request(code, bridge, &request);
}

int tunnel_bridge_attach(const char *bridge, const char *link) { return bridge_port(SIOCBRADDIF, bridge, link); }
int tunnel_bridge_detach(const char *bridge, const char *link) { return bridge_port(SIOCBRDELIF, bridge, link); }

// Opens an rtnetlink socket and sends a request.
static int netlink_request(struct nlmsghdr *request) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(descriptor, request, request->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return close_with_error(descriptor);
    return descriptor;
}

struct link_request {
    struct nlmsghdr header;
    struct ifinfomsg link;
    char attributes[RTA_SPACE(256)];
};

int tunnel_link_set_alias(const char *name, const char *alias) {
    int index = tunnel_link_index(name);
    size_t length = strlen(alias);
    if (index < 0) return -1;
    if (length > 255) {
        errno = EINVAL;
        return -1;
    }
    struct link_request request = {
        .header = {.nlmsg_type = RTM_SETLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .link = {.ifi_family = AF_UNSPEC, .ifi_index = index},
    };
    struct rtattr attribute = {.rta_type = IFLA_IFALIAS, .rta_len = (unsigned short)RTA_LENGTH(length)};
    memcpy(request.attributes, &attribute, sizeof attribute);
    memcpy(request.attributes + RTA_LENGTH(0), alias, length);
    request.header.nlmsg_len = (unsigned)(NLMSG_LENGTH(sizeof request.link) + RTA_SPACE(length));
    int descriptor = netlink_request(&request.header);
    if (descriptor < 0) return -1;
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[512];
    } answer;
    if (recv(descriptor, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof(int))) return close_with_error(descriptor);
    close(descriptor);
    errno = -answer.error.error;
    return errno == 0 ? 0 : -1;
}

int tunnel_bridge_look(const char *bridge, const char *alias, int *is_alias, int *ports) {
    int wanted = tunnel_link_index(bridge);
    if (wanted < 0) return -1;
    struct link_request request = {
        .header = {
            .nlmsg_type = RTM_GETLINK,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
            .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
        },
    };
    int descriptor = netlink_request(&request.header);
    if (descriptor < 0) return -1;
    *is_alias = *ports = 0;
    _Alignas(struct nlmsghdr) char bytes[32768];
    for (;;) {
        ssize_t received = recv(descriptor, bytes, sizeof bytes, 0);
        if (received < 0) return close_with_error(descriptor);
        size_t rest = (size_t)received;
        for (struct nlmsghdr *message = (struct nlmsghdr *)bytes; NLMSG_OK(message, rest);
             message = NLMSG_NEXT(message, rest)) {
            if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) {
                close(descriptor);
                return 0;
            }
            struct ifinfomsg *link = NLMSG_DATA(message);
            unsigned length = (unsigned)IFLA_PAYLOAD(message);
            for (struct rtattr *item = IFLA_RTA(link); RTA_OK(item, length); item = RTA_NEXT(item, length)) {
                int master = 0;
                if (item->rta_type == IFLA_MASTER) memcpy(&master, RTA_DATA(item), sizeof master);
                *ports += master == wanted;
                if (item->rta_type == IFLA_IFALIAS && link->ifi_index == wanted)
                    *is_alias = RTA_PAYLOAD(item) > strlen(alias) && strcmp(RTA_DATA(item), alias) == 0;
            }
        }
    }
}

static void enlarge_buffers(int descriptor) {
    int size = 8 << 20;
    // The FORCE options exceed the system's limit and need CAP_NET_ADMIN; the others are limited by it.
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) < 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

int tunnel_udp_prepare(int descriptor, int family, int *batches) {
    enlarge_buffers(descriptor);
    int on = 1, discover = IP_PMTUDISC_DO, discover6 = IPV6_PMTUDISC_DO, segment = 0;
    // A dual-stack IPv6 socket accepts the options of both IP versions.
    if (setsockopt(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof discover) < 0) return -1;
    if (setsockopt(descriptor, IPPROTO_IP, IP_RECVERR, &on, sizeof on) < 0) return -1;
    if (family == AF_INET6) {
        if (setsockopt(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discover6, sizeof discover6) < 0) return -1;
        if (setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on) < 0) return -1;
    }
    *batches = setsockopt(descriptor, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment) == 0
        && setsockopt(descriptor, IPPROTO_UDP, UDP_GRO, &on, sizeof on) == 0;
    return 0;
}

int tunnel_raw_prepare(int descriptor, int family) {
    enlarge_buffers(descriptor);
    // EtherIP relies on IP fragmentation (RFC 3378 section 4).
    int discover = IP_PMTUDISC_DONT, discover6 = IPV6_PMTUDISC_DONT;
    return family == AF_INET6
        ? setsockopt(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discover6, sizeof discover6)
        : setsockopt(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof discover);
}

static const uint8_t mapped_prefix[12] = {[10] = 0xFF, [11] = 0xFF};

socklen_t tunnel_address_write(struct sockaddr_storage *address, const uint8_t *bytes, size_t count, uint16_t port, uint32_t scope,
                               int is_mapped) {
    if (count == 4 && !is_mapped) {
        struct sockaddr_in inner = {.sin_family = AF_INET, .sin_port = htons(port)};
        memcpy(&inner.sin_addr, bytes, 4);
        memcpy(address, &inner, sizeof inner);
        return sizeof inner;
    }
    struct sockaddr_in6 inner = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope};
    if (count == 4) memcpy(&inner.sin6_addr, mapped_prefix, sizeof mapped_prefix);
    memcpy((uint8_t *)&inner.sin6_addr + 16 - count, bytes, count);
    memcpy(address, &inner, sizeof inner);
    return sizeof inner;
}

size_t tunnel_address_read(const struct sockaddr_storage *address, uint8_t bytes[16], uint16_t *port, uint32_t *scope) {
    *scope = 0;
    if (address->ss_family == AF_INET) {
        struct sockaddr_in inner;
        memcpy(&inner, address, sizeof inner);
        memcpy(bytes, &inner.sin_addr, 4);
        *port = ntohs(inner.sin_port);
        return 4;
    }
    if (address->ss_family != AF_INET6) return 0;
    struct sockaddr_in6 inner;
    memcpy(&inner, address, sizeof inner);
    *port = ntohs(inner.sin6_port);
    if (memcmp(&inner.sin6_addr, mapped_prefix, sizeof mapped_prefix) == 0) {
        memcpy(bytes, (uint8_t *)&inner.sin6_addr + 12, 4);
        return 4;
    }
    memcpy(bytes, &inner.sin6_addr, 16);
    *scope = inner.sin6_scope_id;
    return 16;
}

int tunnel_receive(int descriptor, struct tunnel_datagram *datagrams, int count) {
    struct mmsghdr messages[TUNNEL_BATCH];
    char controls[TUNNEL_BATCH][CMSG_SPACE(sizeof(int))];
    if (count > TUNNEL_BATCH) count = TUNNEL_BATCH;
    for (int index = 0; index < count; index++) {
        messages[index].msg_hdr = (struct msghdr){
            .msg_name = &datagrams[index].address,
            .msg_namelen = sizeof datagrams[index].address,
            .msg_iov = &datagrams[index].bytes,
            .msg_iovlen = 1,
            .msg_control = controls[index],
            .msg_controllen = sizeof controls[index],
        };
    }
    int received = recvmmsg(descriptor, messages, (unsigned)count, MSG_DONTWAIT, NULL);
    for (int index = 0; index < received; index++) {
        struct msghdr *header = &messages[index].msg_hdr;
        datagrams[index].bytes.iov_len = header->msg_flags & MSG_TRUNC ? 0 : messages[index].msg_len;
        datagrams[index].address_length = header->msg_namelen;
        datagrams[index].segment = 0;
        for (struct cmsghdr *item = CMSG_FIRSTHDR(header); item; item = CMSG_NXTHDR(header, item)) {
            if (item->cmsg_level != IPPROTO_UDP || item->cmsg_type != UDP_GRO) continue;
            int segment;
            memcpy(&segment, CMSG_DATA(item), sizeof segment);
            datagrams[index].segment = (uint16_t)segment;
        }
    }
    return received;
}

int tunnel_send(int descriptor, struct tunnel_datagram *datagrams, int count) {
    struct mmsghdr messages[TUNNEL_BATCH];
    _Alignas(struct cmsghdr) char controls[TUNNEL_BATCH][CMSG_SPACE(sizeof(uint16_t))];
    if (count > TUNNEL_BATCH) count = TUNNEL_BATCH;
    for (int index = 0; index < count; index++) {
        struct msghdr *header = &messages[index].msg_hdr;
        *header = (struct msghdr){
            .msg_name = &datagrams[index].address,
            .msg_namelen = datagrams[index].address_length,
            .msg_iov = &datagrams[index].bytes,
            .msg_iovlen = 1,
        };
        if (datagrams[index].segment == 0) continue;
        memset(controls[index], 0, sizeof controls[index]);
        header->msg_control = controls[index];
        header->msg_controllen = sizeof controls[index];
        struct cmsghdr *item = CMSG_FIRSTHDR(header);
        *item = (struct cmsghdr){
            .cmsg_level = IPPROTO_UDP, .cmsg_type = UDP_SEGMENT, .cmsg_len = CMSG_LEN(sizeof(uint16_t))};
        memcpy(CMSG_DATA(item), &datagrams[index].segment, sizeof(uint16_t));
    }
    return sendmmsg(descriptor, messages, (unsigned)count, MSG_DONTWAIT);
}

int tunnel_discard_errors(int descriptor) {
    char control[512];
    struct msghdr header;
    int count = -1;
    do {
        header = (struct msghdr){.msg_control = control, .msg_controllen = sizeof control};
        count++;
    } while (count < 1024 && recvmsg(descriptor, &header, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0);
    return count;
}

int tunnel_path_mtu(const struct sockaddr_storage *destination, socklen_t length) {
    int descriptor = socket(destination->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int is_ipv6 = destination->ss_family == AF_INET6, mtu = 0;
    socklen_t size = sizeof mtu;
    // Connecting a UDP socket sends nothing; it looks up the route, whose MTU the kernel caches.
    if (connect(descriptor, (const struct sockaddr *)destination, length) < 0
        || getsockopt(descriptor, is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, is_ipv6 ? IPV6_MTU : IP_MTU, &mtu, &size) < 0)
        return close_with_error(descriptor);
    close(descriptor);
    return mtu;
}

int tunnel_drop_privileges(uid_t uid, gid_t gid, uint64_t capabilities) {
    for (int capability = 0; capability < 64; capability++) {
        if (capabilities >> capability & 1) continue;
        // The call fails if the kernel does not know the capability, or without CAP_SETPCAP, which setuid would drop.
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    if (uid != 0) {
        // Otherwise setuid would clear the capabilities that are retained below.
        if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0) return -1;
        if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) return -1;
    }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct held[2];
    if (syscall(SYS_capget, &header, held) < 0) return -1;
    for (int word = 0; word < 2; word++) {
        uint32_t kept = held[word].permitted & (uint32_t)(capabilities >> (32 * word));
        held[word] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
    }
    if (syscall(SYS_capset, &header, held) < 0) return -1;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

#endif
