// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The tests of curl's suite after which something else was received, and why that is better.
enum CurlDivergences {
    static let reasons: [Int: String] = [
        64: "a quote is no character of a URI (RFC 3986), so it is sent percent-encoded, in the answer too",
        175:
            "a request without its body means something else where no authentication is required, so none is sent before it is",
        257: "a host that a redirect chose is not given an entry of .netrc before it asks",
        478: "a .netrc entry with two passwords is refused, and not guessed at",
        479: "an entry without a password gives no credential (CVE-2024-11053)",
        679: "a password with control characters is refused (RFC 7617 section 2)",
        685: "a .netrc password without a login is not given to a user whom the URL names (CVE-2026-8926)",
        775: "a long user name is sent: a message holds 32,767 characters, and the limit of curl is its buffer's",
        899: "what a Location puts before the host is left out (RFC 9110 section 4.2.4)",
        3221: "a user name with line breaks is refused",
    ]
}
