// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// The options of curl that are understood: what its tests of authentication use, those that are not given here included.
enum OptionNames {
    static let anyMethod: Set<AuthenticationMethod> = [.basic, .digest, .ntlm, .negotiate, .bearer]

    static let byLetter: [Character: String] = [
        "u": "user", "U": "proxy-user", "x": "proxy", "p": "proxytunnel", "L": "location", "n": "netrc", "d": "data",
        "T": "upload-file", "X": "request", "H": "header", "F": "form", "I": "head", "G": "get", "b": "cookie",
        "c": "cookie-jar", "C": "continue-at", "r": "range", "e": "referer", "g": "globoff", "o": "output",
        "w": "write-out", "A": "user-agent", "m": "max-time", "D": "dump-header", "K": "config", "z": "time-cond",
        "E": "cert", "y": "speed-time", "Y": "speed-limit", "0": "http1.0", "f": "fail", "s": "silent",
        "S": "show-error", "i": "include", "k": "insecure", "v": "verbose", "O": "remote-name",
        "J": "remote-header-name",
        "N": "no-buffer", "q": "disable", "4": "ipv4", "6": "ipv6", "j": "junk-session-cookies", "a": "append",
        "Z": "parallel",
        "#": "progress-bar", "1": "tlsv1",
    ]

    static let withValue = valuesWithoutEffect.union([
        "url", "user", "proxy-user", "proxy", "proxy1.0", "noproxy", "max-redirs", "header", "data", "data-ascii",
        "data-binary", "data-raw", "data-urlencode", "json", "form", "form-string", "upload-file", "request",
        "netrc-file",
        "oauth2-bearer", "cookie", "continue-at", "resolve", "connect-to", "preproxy", "socks4", "socks4a", "socks5",
        "socks5-hostname", "config", "unix-socket", "abstract-unix-socket", "request-target", "interface", "doh-url",
        "url-query", "aws-sigv4", "haproxy-clientip", "variable",
    ])

    /// They decide on nothing that is compared: neither on a request line nor on a credential.
    static let valuesWithoutEffect: Set<String> = [
        "output", "output-dir", "write-out", "user-agent", "max-time", "connect-timeout", "expect100-timeout",
        "dump-header",
        "trace", "trace-ascii", "stderr", "speed-time", "speed-limit", "limit-rate", "retry", "retry-delay",
        "retry-max-time", "cookie-jar", "range", "referer", "time-cond", "proxy-header", "cacert", "capath", "cert",
        "key",
        "cert-type", "key-type", "pass", "ciphers", "etag-save", "etag-compare", "keepalive-time", "tls-max", "proto",
        "proto-default", "proto-redir", "libcurl", "happy-eyeballs-timeout-ms", "max-filesize", "service-name",
        "proxy-service-name", "delegation", "login-options", "sasl-authzid", "hsts", "alt-svc", "rate", "parallel-max",
        "dns-servers", "local-port", "create-file-mode", "pinnedpubkey", "proxy-cacert",
    ]

    /// Output, and what a session does in any case; it speaks HTTP/1.1 also where 1.0 is asked for.
    static let flagsWithoutEffect: Set<String> = [
        "http1.0", "http1.1", "http2", "http2-prior-knowledge", "fail", "fail-with-body", "fail-early", "silent",
        "show-error", "no-show-error", "include", "no-include", "show-headers", "insecure", "verbose", "no-verbose",
        "remote-name", "remote-header-name", "no-buffer", "disable", "ipv4", "ipv6", "junk-session-cookies", "append",
        "progress-bar", "no-progress-meter", "suppress-connect-headers", "keepalive", "no-keepalive", "compressed",
        "raw", "tr-encoding", "ssl-reqd", "tlsv1", "tlsv1.2", "tlsv1.3", "path-as-is", "no-sessionid",
        "remove-on-error", "create-dirs", "trace-time", "trace-ids", "styled-output", "no-styled-output",
        "tcp-nodelay", "no-clobber", "clobber", "xattr", "remote-time", "crlf", "parallel", "parallel-immediate",
        "disallow-username-in-url", "no-location", "no-netrc", "no-remote-name", "retry-connrefused",
        "retry-all-errors", "remote-name-all", "no-npn", "no-alpn", "haproxy-protocol", "proxy-http2", "proxy-insecure",
    ]
}
