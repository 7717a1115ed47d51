// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Challenges

@Suite struct MethodPreferenceTests {
    private static let fields = [
        "Basic realm=a, Digest realm=a, nonce=1, Digest realm=a, nonce=2, algorithm=SHA-256, Bearer realm=a, NTLM",
        "Digest realm=a, nonce=3, algorithm=SHA-256-sess, Digest realm=a, nonce=4, algorithm=CRC-32, Unknown x=y",
        "Digest realm=a, nonce=5, algorithm=SHA-512-256", "SCRAM-SHA-256 realm=a", "Negotiate",
    ]

    @Test("The names of the built-in schemes are those of their table") func names() {
        #expect(AuthenticationMethod.builtIn == MethodPreference.strongestFirst)
    }

    @Test(
        "Challenges are sorted by strength or by the preference",
        arguments: [
            (
                MethodPreference(),
                ["negotiate", "scram-sha-256", "5", "2", "3", "1", "4", "ntlm", "bearer", "basic"]
            ),
            (MethodPreference(order: [.basic, .digest]), ["basic", "5", "2", "3", "1", "4"]),
            (MethodPreference(order: []), []),
        ])
    func order(preference: MethodPreference, expected: [String]) throws {
        let challenges = try HTTPChallenge.parse(Self.fields)
        #expect(preference.sorted(challenges).map { $0["nonce"] ?? $0.method.description } == expected)
    }
}
