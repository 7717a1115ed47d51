// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// Matches a host against the names of a certificate (RFC 9525 section 6). The common name is never looked at.
enum HostNameMatching {
    static func matches(_ names: [GeneralName], _ peer: PeerName) -> Bool {
        switch peer {
        case .host(let host): matches(names, host)
        case .mailbox(let mailbox): names.contains { Mailbox($0)?.matches(mailbox) ?? false }
        }
    }

    static func matches(_ names: [GeneralName], _ host: HostName) -> Bool {
        names.contains { name in
            switch (name, host.kind) {
            case (.dnsName(let pattern), .name(let labels)): matches(pattern: pattern, labels)
            case (.ipAddress(let octets), .address(let bytes)): octets.bytes.elementsEqual(bytes)
            default: false
            }
        }
    }

    /// A wildcard stands for exactly the whole left-most label, and at least two labels follow it (sections 6.3 and 7.1).
    static func matches(pattern: String, _ labels: [String]) -> Bool {
        let pattern = pattern.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard pattern.count == labels.count else { return false }
        guard pattern.first == "*" else { return pattern == labels }
        guard pattern.count >= 3, labels.first?.hasPrefix("xn--") == false else { return false }
        return pattern.dropFirst() == labels.dropFirst()
    }
}
