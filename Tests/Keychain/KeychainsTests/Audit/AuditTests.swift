// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Secrets
import Testing
@testable import Keychains
import EssentialFoundation

@Suite(.timeLimit(.minutes(1))) struct AuditTests {
    @Test("A finding about a shared password names at most ten other items, so that findings grow linearly")
    func reused() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example()
        try await keychain.add(
            (0..<400).map { .internetPassword(Secret("x7!kQ2p-9Lw"), user: "u\($0)", space: space) }
                + (0..<2).map { .genericPassword(Secret("vLm4z#Rt8-q"), service: "s", account: "a\($0)") })
        let findings = try await keychain.findings(expiringBefore: .now)
        #expect(findings.map(\.item.id.number) == Array(1...402))
        for finding in findings {
            guard case .reused(let others, let count) = finding.problem else {
                Issue.record("\(finding.problem)")
                continue
            }
            #expect(!others.contains(finding.item.id) && Set(others).count == min(count, 10))
            #expect(count == (finding.item.id.number <= 400 ? 399 : 1))
        }
    }
}
