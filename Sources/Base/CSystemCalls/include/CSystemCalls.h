// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The system calls that Swift cannot make, because their parameters vary or their types differ between systems.

#ifndef COUNTERSIGN_CSYSTEMCALLS_H
#define COUNTERSIGN_CSYSTEMCALLS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/vfs.h>
// glibc declares these functions only if _GNU_SOURCE is defined, which also enables many other declarations.
int pipe2(int ends[2], int flags);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
#endif
#else
#include <sys/mount.h>
#include <sys/ptrace.h>
#endif

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

/// Prevents other programs of the user from reading the process's memory.
/// On Linux, this also disables core dumps (prctl(2)).
static inline int process_refuse_inspection(void) {
#if defined(__linux__)
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    return ptrace(PT_DENY_ATTACH, 0, 0, 0);
#endif
}

/// Prevents a new program from inheriting descriptors other than its standard streams. An inherited end of a pipe
/// would keep the pipe open until the program exits.
static inline int close_inherited(posix_spawn_file_actions_t *actions, short *flags) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#elif defined(__linux__)
    // A descriptor that another thread opens after this list is made is
    // inherited; only the function above prevents that.
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return errno;
    int code = 0;
    for (struct dirent *entry; code == 0 && (entry = readdir(folder)) != NULL;) {
        int descriptor = atoi(entry->d_name);
        if (descriptor > 2) code = posix_spawn_file_actions_addclose(actions, descriptor);
    }
    closedir(folder);
    return code;
#else
    *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
    return 0;
#endif
}

/// Resets the signal handling of a new program, so that it does not inherit ignored or blocked signals.
static inline int reset_signals(posix_spawnattr_t *attributes, short *flags) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    *flags |= POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    int code = posix_spawnattr_setsigdefault(attributes, &all);
    return code != 0 ? code : posix_spawnattr_setsigmask(attributes, &none);
}

static inline void *wait_for_process(void *process) {
    while (waitpid((pid_t)(intptr_t)process, NULL, 0) < 0 && errno == EINTR) {}
    return NULL;
}

/// Waits in a thread until a process exits, so that it does not remain a zombie while this process runs.
static inline void reap_process(pid_t process) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_process, (void *)(intptr_t)process) == 0) pthread_detach(thread);
}

/// Starts a program in a new session, with /dev/null as its standard streams.
///
/// Returns 0 or an errno.
static inline int process_start_detached(
    pid_t *process, const char *path, char *const *arguments, char *const *environment) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    if ((code = posix_spawnattr_init(&attributes)) == 0) {
        for (int stream = 0; stream < 3 && code == 0; stream++)
            code = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
        short flags = POSIX_SPAWN_SETSID;
        if (code == 0) code = close_inherited(&actions, &flags);
        if (code == 0) code = reset_signals(&attributes, &flags);
        if (code == 0) code = posix_spawnattr_setflags(&attributes, flags);
        if (code == 0) code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/// Creates a pipe whose ends no program inherits.
static inline int closed_pipe(int ends[2]) {
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

/// Starts a program whose standard input and output are pipes, and stores the caller's ends in `input` and `output`.
///
/// The program inherits the standard error; if `is_quiet` is not 0, its
/// standard error is /dev/null. Returns 0 or an errno.
static inline int process_start_connected(
    pid_t *process, const char *path, char *const *arguments, char *const *environment, int is_quiet, int *input,
    int *output) {
    int to[2], from[2];
    if (closed_pipe(to) != 0) return errno;
    if (closed_pipe(from) != 0) {
        int code = errno;
        close(to[0]);
        close(to[1]);
        return code;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0 && (code = posix_spawnattr_init(&attributes)) == 0) {
        short flags = 0;
        code = posix_spawn_file_actions_adddup2(&actions, to[0], 0);
        if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, from[1], 1);
        if (code == 0 && is_quiet) code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        if (code == 0) code = close_inherited(&actions, &flags);
        if (code == 0) code = reset_signals(&attributes, &flags);
        if (code == 0) code = posix_spawnattr_setflags(&attributes, flags);
        if (code == 0) code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(to[0]);
    close(from[1]);
    if (code != 0) {
        close(to[1]);
        close(from[0]);
        return code;
    }
    *input = to[1];
    *output = from[0];
    return 0;
}

/// Starts a program, searched for on the PATH, in a new session with an empty standard input.
///
/// Its standard output and error are files, which are created or truncated. Returns 0 or an errno.
static inline int process_start_writing(
    pid_t *process, const char *program, char *const *arguments, char *const *environment, const char *output,
    const char *errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    if ((code = posix_spawnattr_init(&attributes)) == 0) {
        short flags = POSIX_SPAWN_SETSID;
        int mode = O_WRONLY | O_CREAT | O_TRUNC;
        code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (code == 0) code = posix_spawn_file_actions_addopen(&actions, 1, output, mode, 0600);
        if (code == 0) code = posix_spawn_file_actions_addopen(&actions, 2, errors, mode, 0600);
        if (code == 0) code = close_inherited(&actions, &flags);
        if (code == 0) code = reset_signals(&attributes, &flags);
        if (code == 0) code = posix_spawnattr_setflags(&attributes, flags);
        if (code == 0) code = posix_spawnp(process, program, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/// Stores the user of the process at the other end of a Unix domain socket. Returns 0, or -1 on failure.
static inline int process_peer_user(int socket, uid_t *user) {
#if defined(__linux__)
    // This is struct ucred of unix(7), which glibc declares only for _GNU_SOURCE.
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

/// Returns whether a file exists and is empty; 0 if its size cannot be read.
static inline int file_is_empty(const char *path) {
    struct stat state;
    return stat(path, &state) == 0 && state.st_size == 0;
}

/// Returns whether a folder is on a local disk: 0 for NFS, SMB, CIFS, SMB2, Coda, AFS, Ceph and 9P.
static inline int file_system_is_local(const char *folder) {
    struct statfs state;
    if (statfs(folder, &state) != 0) return 1;
#if defined(__linux__)
    // The numbers are listed in statfs(2).
    static const unsigned remote[] = {
        0x6969, 0x517B, 0xFF534D42, 0xFE534D42, 0x73757245, 0x5346414F, 0x6B414653, 0x00C36400, 0x01021997};
    for (unsigned number = 0; number < sizeof remote / sizeof remote[0]; number++)
        if ((unsigned)state.f_type == remote[number]) return 0;
    return 1;
#else
    return (state.f_flags & MNT_LOCAL) != 0;
#endif
}

#endif
