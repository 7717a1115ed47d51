// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

extension ParsedCertificate {
    /// The rules of form that it breaks in its place of a path, found out once.
    func brokenRules(asLeaf isLeaf: Bool) -> FormRules {
        broken.withLock { broken in
            if let known = isLeaf ? broken.asLeaf : broken.asIssuer { return FormRules(bits: known) }
            let rules = ConformanceCheck.brokenRules(self, isLeaf: isLeaf)
            if isLeaf { broken.asLeaf = rules.bits } else { broken.asIssuer = rules.bits }
            return rules
        }
    }
}
