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
            case (.dnsName(let pattern), .name): matches(pattern: pattern, host)
            case (.ipAddress(let octets), .address(let bytes)): octets.bytes.elementsEqual(bytes)
            default: false
            }
        }
    }

    /// A wildcard stands for exactly the whole left-most label, and at least two labels follow it (sections 6.3 and 7.1).
    ///
    /// A certificate may bring thousands of names, so nothing is copied.
    static func matches(pattern: String, _ host: HostName) -> Bool {
        // Most names are written as the host is.
        if pattern == host.description { return true }
        let (pattern, name) = (pattern.utf8, host.description.utf8)
        guard pattern.first == UInt8(ascii: "*"), pattern.dropFirst().first == UInt8(ascii: ".") else {
            return isEqual(pattern, name)
        }
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")),
            name[name.index(after: dot)...].contains(UInt8(ascii: "."))
        else { return false }
        return isEqual(pattern.dropFirst(), name[dot...])
    }

    /// Compares text in any case with text in lower case.
    private static func isEqual(_ text: some Collection<UInt8>, _ name: some Collection<UInt8>) -> Bool {
        text.count == name.count
            && zip(text, name).allSatisfy {
                $0 == $1 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) && $0 | 0x20 == $1
            }
    }
}
