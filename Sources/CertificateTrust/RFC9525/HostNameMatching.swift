// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
package import X509

/// Matches a host against the names of a certificate (RFC 9525 section 6).
///
/// The common name is never looked at.
package enum HostNameMatching {
    static func matches(_ names: [GeneralName], _ peer: PeerName) -> Bool {
        switch peer {
        case .host(let host): matches(names, host)
        case .mailbox(let mailbox): names.contains { Mailbox($0)?.matches(mailbox) ?? false }
        }
    }

    package static func matches(_ names: [GeneralName], _ host: HostName) -> Bool {
        names.contains { name in
            switch (name, host.kind) {
            case (.dnsName(let pattern), .name(let labels)): matches(pattern: pattern, labels)
            case (.ipAddress(let octets), .address(let bytes)): octets.bytes.elementsEqual(bytes)
            default: false
            }
        }
    }

    /// A wildcard stands for exactly the whole left-most label, and at least two labels follow it (sections 6.3 and 7.1).
    ///
    /// A certificate may bring thousands of names, so nothing is copied.
    static func matches(pattern: String, _ labels: [String]) -> Bool {
        let pattern = pattern.utf8
        guard pattern.starts(with: "*.".utf8) else { return isEqual(pattern[...], labels[...]) }
        guard labels.count >= 3, labels.first?.hasPrefix("xn--") == false else { return false }
        return isEqual(pattern.dropFirst(2), labels.dropFirst())
    }

    /// Compares text in any case with labels in lower case.
    private static func isEqual(_ text: Substring.UTF8View, _ labels: ArraySlice<String>) -> Bool {
        guard text.count == labels.reduce(labels.count - 1, { $0 + $1.utf8.count }) else { return false }
        return text.elementsEqual(labels.lazy.map(\.utf8).joined(separator: CollectionOfOne(UInt8(ascii: ".")))) {
            $0 == $1 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) && $0 | 0x20 == $1
        }
    }
}
