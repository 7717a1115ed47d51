// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The results of replays compared with the tests' expectations.
struct CurlScore {
    struct Result: Sendable {
        let number: Int
        let theme: String
        let comparison: Comparison
        let errors: [String]
    }

    private struct Count {
        var right = 0
        var all = 0
    }

    private let listed: [Result]
    private let unlisted: [Result]
    private let obsoleteListings: [Int]
    private let divergences: [Int: CurlDivergences.Divergence]
    private var counts: [String: Count] = [:]
    private var total = Count()

    init(_ results: [Result], divergences: [Int: CurlDivergences.Divergence] = CurlDivergences.all) {
        self.divergences = divergences
        let divergent = results.filter { !$0.comparison.isSame }
        listed = divergent.filter { divergences[$0.number]?.received == $0.comparison.received }
        unlisted = divergent.filter { divergences[$0.number]?.received != $0.comparison.received }
        obsoleteListings = results.filter { $0.comparison.isSame && divergences[$0.number] != nil }.map(\.number)
        for result in results {
            counts[result.theme, default: Count()].all += 1
            if result.comparison.isSame { counts[result.theme]?.right += 1 }
        }
        total = Count(right: results.count - divergent.count, all: results.count)
    }

    /// Whether the divergences are exactly the listed ones.
    var isAsListed: Bool { unlisted.isEmpty && obsoleteListings.isEmpty }

    /// The results as text for the user: every theme, and every divergence with the received requests.
    var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.value.right) of \($0.value.all)  \($0.key)" }
            + ["\(total.right) of \(total.all)  in total, and \(listed.count) that diverge as listed"]
            + listed.map { "divergent: \($0.number): \(divergences[$0.number]?.reason ?? "")" }
            + unlisted.flatMap { result in
                ["divergent: \(result.number): not as listed"] + result.comparison.differences
                    + result.errors.map { "  \($0)" }
            }
            + obsoleteListings.map { "needlessly listed: \($0)" }
    }
}

/// The tests of curl's suite in which a session sends other requests, with the reasons.
enum CurlDivergences {
    struct Divergence: Hashable, Sendable {
        let reason: String
        /// The requests that are received instead, in the format of
        /// ``ComparedRequest``; others are an unlisted divergence.
        let received: [String]
    }

    static let all: [Int: Divergence] = [
        64: Divergence(
            reason: "a quote is no character of a URI (RFC 3986), so it is sent percent-encoded, in the answer too",
            received: [
                "GET /64%22",
                "GET /64%22 | authorization: Digest nonce=1053604145, realm=testrealm, uri=/64%22, username=testuser",
            ]),
        175: Divergence(
            reason:
                "a server that does not authenticate may act upon a request without its body: it is not sent to find that out",
            received: ["POST /175"]),
        257: Divergence(
            reason: "a host that a redirect chose is not given an entry of .netrc before it asks",
            received: [
                "GET http://supersite.com/want/257 | authorization: Basic dXNlcjE6cGFzc3dkMQ==",
                "GET http://anotherone.com/2570002", "GET http://athird.com/2570003",
            ]),
        478: Divergence(reason: "a .netrc entry with two passwords is refused, and not guessed at", received: []),
        479: Divergence(
            reason: "an entry without a password gives no credential (CVE-2024-11053)",
            received: [
                "GET http://a.com/ | authorization: Basic YWxpY2U6YWxpY2VzcGFzc3dvcmQ=", "GET http://b.com/4790002",
            ]),
        679: Divergence(reason: "a password with control characters is refused (RFC 7617 section 2)", received: []),
        775: Divergence(
            reason:
                "a long user name is sent: a message holds 32,767 characters, and the limit of curl is its buffer's",
            received: ["GET /775 | authorization: NTLM message 1", "GET /775 | authorization: NTLM message 3"]),
        899: Divergence(
            reason: "what a Location puts before the host is left out (RFC 9110 section 4.2.4)",
            received: [
                "GET /899 | authorization: Basic Zmlyc3Q6c2VjcmV0",
                "GET /basic-auth/user/8990002 | authorization: Basic Zmlyc3Q6c2VjcmV0",
            ]),
        3221: Divergence(reason: "a user name with line breaks is refused", received: []),
    ]
}
