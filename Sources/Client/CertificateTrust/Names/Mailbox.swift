// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// An e-mail address as certificates have it (RFC 5280 section 4.2.1.6): a local part, compared to the letter, and a host.
package struct Mailbox {
    let local: String
    let host: String

    /// Reads an address: exactly one `@`, a plain local part (no quotes, no spaces), a DNS name.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isPlain),
            let host = try? HostName(String(parts[1])), !host.isAddress, !parts[1].hasSuffix(".")
        else { return nil }
        local = String(parts[0])
        self.host = host.description
    }

    init?(_ name: GeneralName) {
        guard case .rfc822Name(let text) = name else { return nil }
        self.init(text)
    }

    func matches(_ text: String) -> Bool {
        guard let other = Mailbox(text) else { return false }
        return local.utf8.elementsEqual(other.local.utf8) && host == other.host
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"(),:;<>[\\]".utf8.contains(byte)
    }
}
