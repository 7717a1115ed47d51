// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What the curl that a test is written for can do: `%if` asks for it in tests that are not prepared for one curl.
struct Features: Sendable {
    private let names: Set<String>

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether a condition holds: a name, or `!` and a name.
    func satisfy(_ condition: some StringProtocol) -> Bool {
        let condition = condition.trimmingPrefix { $0 == " " }
        return condition.first == "!"
            ? !names.contains(condition.dropFirst().lowercased()) : names.contains(condition.lowercased())
    }

    /// A curl on a Unix, built with what its authentication tests ask for; those for SSPI are about Windows.
    static let unix = Features([
        "alt-svc", "AsynchDNS", "basic", "bearer-auth", "cookies", "crypto", "Debug", "digest", "file", "getrlimit",
        "GSS-API", "hsts", "http", "http-auth", "https", "HTTPS-proxy", "IPv6", "Kerberos", "large-time", "large-size",
        "large_file", "libz", "Mime", "negotiate-auth", "netrc", "NTLM", "NTLM_WB", "OpenSSL", "proxy", "sha512-256",
        "SPNEGO", "SSL", "threaded-resolver", "Unicode", "unittest", "UnixSockets", "verbose-strings", "xattr",
    ])
}
