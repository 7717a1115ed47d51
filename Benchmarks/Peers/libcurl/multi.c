// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Makes requests with libcurl's multi interface on epoll, as SessionBench does with a session, and prints their cost.
// Usage: multi URL CA CONCURRENCY COUNT WARM-UP HTTP HOSTS CONNECTIONS
// A * in the URL is replaced by h0, h1 and so on, which resolve to 127.0.0.1. HTTP is 1.1 or 2; with 2 all requests to a host
// share one connection. CONNECTIONS is "kept", or "full" or "resumed" to open a new connection for every request.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct transfer {
    CURL *easy;
    long long bytes;
};

static CURLM *multi;
static int poller;
static long timeout_ms = -1;
static char **urls;
static int hosts, running;
static int next, limit, done;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "multi: %s: %s\n", what, why);
    exit(1);
}

static double seconds(struct timeval value) { return (double)value.tv_sec + (double)value.tv_usec / 1e6; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t take(char *data, size_t size, size_t count, void *user) {
    (void)data;
    ((struct transfer *)user)->bytes += (long long)(size * count);
    return size * count;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *user, void *known) {
    (void)easy, (void)user;
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(poller, EPOLL_CTL_DEL, socket, NULL);
        curl_multi_assign(multi, socket, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(poller, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    curl_multi_assign(multi, socket, &poller);
    return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *user) {
    (void)handle, (void)user;
    timeout_ms = milliseconds;
    return 0;
}

static void start(CURL *easy) {
    curl_easy_setopt(easy, CURLOPT_URL, urls[next++ % hosts]);
    curl_multi_add_handle(multi, easy);
}

// collect processes completed requests, and starts the next ones.
static void collect(void) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        long status = 0;
        if (message->data.result != CURLE_OK) fail("request", curl_easy_strerror(message->data.result));
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (status / 100 != 2) fail("request", "its status is not of success");
        curl_multi_remove_handle(multi, easy);
        done++;
        if (next < limit) start(easy);
    }
}

static void run(struct transfer *transfers, int concurrency, int count) {
    struct epoll_event events[256];
    next = done = 0;
    limit = count;
    for (int index = 0; index < concurrency && index < count; index++) start(transfers[index].easy);
    while (done < count) {
        int ready = epoll_wait(poller, events, 256, timeout_ms < 0 ? 1000 : (int)timeout_ms);
        if (ready <= 0) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        for (int index = 0; index < ready; index++) {
            int mask = 0;
            if (events[index].events & EPOLLIN) mask |= CURL_CSELECT_IN;
            if (events[index].events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
            if (events[index].events & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
            curl_multi_socket_action(multi, events[index].data.fd, mask, &running);
        }
        // A timer of zero milliseconds is always due.
        if (timeout_ms == 0) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        collect();
    }
}

// resolutions creates the URLs, and the addresses of their hosts.
static struct curl_slist *resolutions(const char *pattern) {
    struct curl_slist *list = NULL;
    const char *star = strchr(pattern, '*');
    urls = calloc((size_t)hosts, sizeof *urls);
    for (int index = 0; index < hosts; index++) {
        char url[512], entry[512];
        if (!star) {
            urls[index] = strdup(pattern);
            continue;
        }
        snprintf(url, sizeof url, "%.*sh%d%s", (int)(star - pattern), pattern, index, star + 1);
        urls[index] = strdup(url);
        const char *authority = strstr(url, "://") + 3;
        snprintf(entry, sizeof entry, "%.*s:127.0.0.1", (int)strcspn(authority, "/"), authority);
        list = curl_slist_append(list, entry);
    }
    return list;
}

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments != 9) fail("usage", "URL CA CONCURRENCY COUNT WARM-UP HTTP HOSTS CONNECTIONS");
    const char *ca = arguments[2];
    int concurrency = atoi(arguments[3]), count = atoi(arguments[4]), warm_up = atoi(arguments[5]);
    int is_http2 = strcmp(arguments[6], "2") == 0;
    int is_kept = strcmp(arguments[8], "kept") == 0, is_full = strcmp(arguments[8], "full") == 0;
    hosts = atoi(arguments[7]);

    curl_global_init(CURL_GLOBAL_ALL);
    multi = curl_multi_init();
    poller = epoll_create1(0);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, is_http2 ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, is_http2 ? 1L : (long)concurrency);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)(concurrency + hosts));

    struct curl_slist *list = resolutions(arguments[1]);
    struct transfer *transfers = calloc((size_t)concurrency, sizeof *transfers);
    for (int index = 0; index < concurrency; index++) {
        CURL *easy = transfers[index].easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
        curl_easy_setopt(easy, CURLOPT_RESOLVE, list);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_3);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)is_http2);
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)!is_kept);
        curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, (long)!is_full);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[index]);
    }

    run(transfers, concurrency, warm_up);
    long long before = 0, after = 0;
    for (int index = 0; index < concurrency; index++) before += transfers[index].bytes;
    struct rusage usage, start_usage;
    getrusage(RUSAGE_SELF, &start_usage);
    double start_time = now();
    run(transfers, concurrency, count);
    double spent = now() - start_time;
    getrusage(RUSAGE_SELF, &usage);
    for (int index = 0; index < concurrency; index++) after += transfers[index].bytes;
    printf(
        // The first lost request ends the program.
        "{\"requests\": %d, \"bytes\": %lld, \"seconds\": %f, \"user\": %f, \"system\": %f, \"peak\": %ld, \"wrong\": 0, "
        "\"lost\": {}}\n", count,
        after - before, spent, seconds(usage.ru_utime) - seconds(start_usage.ru_utime),
        seconds(usage.ru_stime) - seconds(start_usage.ru_stime), usage.ru_maxrss);
    return 0;
}
