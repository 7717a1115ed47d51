// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The remembered key of a server, for ``TrustPolicy/Validation/firstUse``.
public struct RememberedServer: Hashable, Sendable, Codable {
    /// The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    public let key: Pin
    /// The time at which the key was first seen.
    public let since: Date

    /// Makes a record of a server.
    ///
    /// - Parameters:
    ///   - key: The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    ///   - since: The time at which the key was first seen.
    public init(key: Pin, since: Date) {
        self.key = key
        self.since = since
    }
}

extension Verdict {
    /// Accepts the key of a server without an anchor on first use, and requires the same key afterwards.
    ///
    /// This overrides only failures that a user could override, not a pin mismatch or a forged or weak certificate. The
    /// key of a server with a path to an anchor is remembered too, so that an attacker cannot impersonate it later with
    /// another key. Such a server may change its key while it has a path to an anchor.
    mutating func decideByKey(of leaf: ParsedCertificate, remembered: RememberedServer?, at time: Date) {
        let key = Pin(.publicKey, of: leaf)
        if isTrusted {
            if remembered == nil { remarks.append(.seenFirst(RememberedServer(key: key, since: time))) }
            return
        }
        guard isRecoverable else { return }
        guard let remembered else { return accept(.firstUse(RememberedServer(key: key, since: time))) }
        if remembered.key == key {
            accept(.knownSince(remembered))
        } else {
            fail([.changed(remembered, presented: key)])
        }
    }

    /// Overrides the failures and adds a remark with the reason.
    private mutating func accept(_ remark: Remark) {
        (overriddenFailures, failures) = (failures, [])
        (profile, leniencies) = (nil, [])
        remarks.append(remark)
    }
}
