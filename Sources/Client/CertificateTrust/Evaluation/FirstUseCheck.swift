// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Accepts the key of a server without an anchor on first use, and requires the same key afterwards.
struct FirstUseCheck {
    let remembered: RememberedServer?
    let time: Date

    /// Overrules what a person could overrule too, and nothing else: no pin, no forged or weak certificate.
    ///
    /// A server that an anchor vouches for is remembered too, so that an attacker cannot pose as it later with another key; it
    /// may change its key as long as it is vouched for.
    func decide(_ leaf: ParsedCertificate, _ verdict: inout Verdict) {
        let key = Pin(.publicKey, of: leaf)
        if verdict.isTrusted {
            if remembered == nil { verdict.remarks.append(.seenFirst(RememberedServer(key: key, since: time))) }
            return
        }
        guard verdict.isRecoverable else { return }
        guard let remembered else {
            verdict.accept(.firstUse(RememberedServer(key: key, since: time)))
            return
        }
        if remembered.key == key {
            verdict.accept(.knownSince(remembered))
        } else {
            verdict.fail([.changed(remembered, presented: key)])
        }
    }
}

extension Verdict {
    /// Lets pass what failed, for the reason that the remark gives.
    fileprivate mutating func accept(_ remark: Remark) {
        failures = []
        (profile, leniencies) = (nil, [])
        remarks.append(remark)
    }
}
