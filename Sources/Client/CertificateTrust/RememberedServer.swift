// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The remembered key of a server, for ``TrustPolicy/Validation/firstUse``.
public struct RememberedServer: Hashable, Sendable, Codable {
    /// The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    public let key: Pin
    /// When the key was first seen.
    public let since: Date

    /// Remembers a server.
    ///
    /// - Parameters:
    ///   - key: The key of the server's certificate, a pin of kind ``Pin/Kind/publicKey``.
    ///   - since: When the key was first seen.
    public init(key: Pin, since: Date) {
        self.key = key
        self.since = since
    }
}

extension Verdict {
    /// Accepts the key of a server without an anchor on first use, and requires the same key afterwards.
    ///
    /// It overrules what a person could overrule too, and nothing else: no pin, no forged or weak certificate. A server that an anchor
    /// vouches for is remembered too, so that an attacker cannot pose as it later with another key; it may change its key as long as it is
    /// vouched for.
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

    /// Lets pass what failed, for the reason that the remark gives.
    private mutating func accept(_ remark: Remark) {
        failures = []
        (profile, leniencies) = (nil, [])
        remarks.append(remark)
    }
}
