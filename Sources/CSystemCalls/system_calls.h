// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// What Swift cannot call, because its parameters vary or its types differ from system to system.

#ifndef COUNTERSIGN_CPROCESS_H
#define COUNTERSIGN_CPROCESS_H

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#else
#include <sys/ptrace.h>
#endif

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

/// Keeps other programs of the user from reading the process's memory; on Linux this ends core dumps too (prctl(2)).
static inline int process_refuse_inspection(void) {
#if defined(__linux__)
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    return ptrace(PT_DENY_ATTACH, 0, 0, 0);
#endif
}

/// Starts a program in a session of its own, with /dev/null as its standard streams.
///
/// Returns 0, or an errno.
static inline int process_start_detached(
    pid_t *process, const char *path, char *const *arguments, char *const *environment) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    if ((code = posix_spawnattr_init(&attributes)) == 0) {
        for (int stream = 0; stream < 3 && code == 0; stream++)
            code = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
        if (code == 0) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
        if (code == 0) code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/// Writes the user who runs the process at the other end of a Unix domain socket; returns 0, or -1.
static inline int process_peer_user(int socket, uid_t *user) {
#if defined(__linux__)
    // struct ucred of unix(7), which needs _GNU_SOURCE.
    struct { pid_t process; uid_t user; gid_t group; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.user;
    return 0;
#else
    gid_t group;
    return getpeereid(socket, user, &group);
#endif
}

#endif
