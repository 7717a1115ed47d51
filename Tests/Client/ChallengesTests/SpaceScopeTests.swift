// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Challenges

@Suite struct SpaceScopeTests {
    @Test(
        "A target is inside or outside the protection space",
        arguments: [
            ("Basic realm=r", "/a/b", "/a/c", true),
            ("Basic realm=r", "/a/b", "/a/b/c?d", true),
            ("Basic realm=r", "/a/b", "/", false),
            ("Basic realm=r", "/a/b", "/ab", false),
            ("Basic realm=r", "/a/", "/a", false),
            ("Basic realm=r", "/a/b?x=/y/", "/a/z", true),
            ("Basic realm=r", "/a/b", "/a/../c", false),
            ("Basic realm=r", "/a/b", "/a/%2e%2E/c", false),
            ("Basic realm=r", "/a/b", "/a/x%2fy", false),
            ("Digest realm=r, nonce=n", "/a/b", "/", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/a/b", "/x", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/a/b", "/x/1", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/a/b", "/xy", false),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/a/b", "/a/b?c", true),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/a/b", "/a/c", false),
            ("Digest realm=r, nonce=n, domain=\"/x /y/\"", "/x", "/z", false),
            ("Digest realm=r, nonce=n, domain=\"https://a.test/p\"", "/a/b", "/p/q", true),
            ("Digest realm=r, nonce=n, domain=\"https://a.test.evil/p\"", "/a/b", "/p/q", false),
            ("Digest realm=r, nonce=n, domain=\"https://b.test/p\"", "/a/b", "/p/q", false),
            ("Digest realm=r, nonce=n, domain=\"//b.test/p\"", "/a/b", "/p/q", false),
        ])
    func scope(field: String, challenged: String, target: String, isInside: Bool) throws {
        let challenge = try #require(try HTTPChallenge.parse([field]).first)
        let scope = SpaceScope(of: challenge, challengedTarget: challenged, origin: "https://a.test")
        #expect(scope.contains(target) == isInside)
    }
}
