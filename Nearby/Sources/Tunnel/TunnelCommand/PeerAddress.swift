// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

/// A host name or address of a peer with an optional port: `hub.test`, `192.0.2.1:51897`, `2001:db8::1` or
/// `[2001:db8::1]:51897` (RFC 3986 section 3.2.2).
struct PeerAddress: ExpressibleByArgument {
    let host: String
    let port: UInt16?

    init?(argument text: String) {
        if text.hasPrefix("[") {
            guard let end = text.lastIndex(of: "]") else { return nil }
            self.init(text[text.index(after: text.startIndex)..<end], rest: text[text.index(after: end)...])
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            self.init(text[..<colon], rest: text[colon...])
        } else {
            // A text with several colons is an IPv6 address without brackets and port.
            self.init(text[...], rest: "")
        }
    }

    private init?(_ host: Substring, rest: Substring) {
        guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
        self.host = String(host)
        port = rest.isEmpty ? nil : UInt16(rest.dropFirst())
        guard rest.isEmpty || port.map({ $0 > 0 }) == true else { return nil }
    }
}
