// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

extension ParsedCertificate {
    /// The rules of form that it breaks in its place of a path, found out once.
    func brokenRules(asLeaf isLeaf: Bool) -> [TrustFailure.Rule] {
        let bits = broken.withLock { broken in
            if let known = isLeaf ? broken.asLeaf : broken.asIssuer { return known }
            let bits = ConformanceCheck.brokenRules(self, isLeaf: isLeaf)
            if isLeaf { broken.asLeaf = bits } else { broken.asIssuer = bits }
            return bits
        }
        guard bits != 0 else { return [] }
        return TrustFailure.Rule.allCases.enumerated().filter { bits & 1 << UInt64($0.offset) != 0 }.map(\.element)
    }
}
