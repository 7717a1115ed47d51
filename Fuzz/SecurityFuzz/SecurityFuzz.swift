// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import FuzzDriver
import Secrets
import WSSecurity

/// Fuzzes the verification of a signed message.
///
/// No input contains the secret, so only the signed parts of the seeds can verify, and only as a Body.
@main
enum SecurityFuzz {
    static func main() async throws {
        let seeds = try await SecuritySeeds.all()
        for seed in seeds { test(seed) }
        let status = try FuzzDriver.run(seeds: { _ in seeds }) { bytes, count in
            SecurityFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let verifier: SecurityVerifier = {
        var policy = SecurityPolicy(trusting: .secret(SecuritySeeds.secret))
        policy.decryptionKeys = [.content(SecuritySeeds.contentKey)]
        return SecurityVerifier(policy: policy)
    }()

    private static func test(_ input: [UInt8]) {
        var replays = ReplayCache()
        if let message = try? verifier.verify(input, at: SecuritySeeds.time, replays: &replays) {
            let body = String(decoding: message.body ?? [], as: UTF8.self)
            precondition(body.hasSuffix(SecuritySeeds.content), "an unsigned body is verified")
            precondition(message.headers.isEmpty, "an unsigned header is verified")
        }
        let users = UsernameVerifier(passwords: ["ann": Secret(utf8: SecuritySeeds.secret)])
        if let user = try? users.verify(input, at: SecuritySeeds.time, replays: &replays) {
            precondition(user == "ann", "another user verifies")
        }
    }
}
