// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CAllocationCount
import Challenges
import Secrets

/// The number of allocations per request with preemptive authentication.
enum Allocations {
    private static let rounds = 10_000

    static func lines() throws -> [String] {
        guard allocation_count() >= 0 else {
            return ["Allocations: skipped, because they can only be counted with glibc"]
        }
        guard count({ _ = [UInt8](unsafeUninitializedCapacity: 4_096) { $1 = $0.count } }) >= 1 else {
            return ["Allocations: skipped, because the counting malloc is not the one in use"]
        }
        let password = DigestWork.credential
        var lines = ["Allocations a request, answered unasked"]
        lines.append(try line("Basic", "Basic realm=\"a\"", password))
        lines.append(try line("Bearer", "Bearer realm=\"a\"", .token(Secret("mF_9.B5f-4.1JqM-mF_9.B5f-4.1JqM"))))
        for algorithm in DigestWork.Algorithm.allCases {
            lines.append(try line("Digest \(algorithm.rawValue)", try DigestWork(algorithm).field, password))
        }
        return lines
    }

    /// Counts in place, and as in a session: with a copy that then replaces the original.
    private static func line(_ name: String, _ field: String, _ credential: Credential) throws -> String {
        var remembered = try DigestWork.authenticator(for: field)
        _ = try remembered.authorization(with: credential, for: DigestWork.request)
        let inPlace = try count {
            _ = try remembered.authorization(with: credential, for: DigestWork.request)
        }
        let copied = try count {
            var copy = remembered
            _ = try copy.authorization(with: credential, for: DigestWork.request)
            remembered = copy
        }
        return "  \(name): \(inPlace) in place, \(copied) with a copy"
    }

    private static func count(_ body: () throws -> Void) rethrows -> Double {
        let start = allocation_count()
        for _ in 0..<rounds { try body() }
        return Double(allocation_count() - start) / Double(rounds)
    }
}
