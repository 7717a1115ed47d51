// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

extension ParsedCertificate {
    /// The rules of form that it breaks in its place of a path, found out once.
    func brokenRules(asLeaf isLeaf: Bool) -> [TrustFailure.Rule] {
        broken.withLock { broken in
            if let known = broken[isLeaf] { return known }
            let rules = ConformanceCheck.brokenRules(self, isLeaf: isLeaf)
            broken[isLeaf] = rules
            return rules
        }
    }
}
