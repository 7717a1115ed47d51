// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The name of a site: the user's text, or the host name of a URL.
public struct SiteName: Sendable, Hashable {
    /// The name in UTF-8.
    public let utf8: [UInt8]

    /// Takes a text without white space at its ends or, where it has a slash, the host name in it.
    ///
    /// A host name is taken in lower case, without user and port (RFC 3986 section 3.2).
    public init(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// Takes a text in UTF-8, as `init(_:)` does.
    public init(utf8 text: [UInt8]) {
        var name = text[...]
        while let byte = name.first, byte <= 0x20 { name.removeFirst() }
        while let byte = name.last, byte <= 0x20 { name.removeLast() }
        self.utf8 = name.contains(0x2F) ? Self.host(of: name) : Array(name)
    }

    private static func host(of url: ArraySlice<UInt8>) -> [UInt8] {
        var authority = url
        if let slash = url.firstIndex(of: 0x2F), url[slash...].starts(with: [0x2F, 0x2F]),
            slash == url.startIndex || url[slash - 1] == 0x3A
        {
            authority = url[(slash + 2)...]
        }
        // It ends at a slash, a question mark or a number sign.
        if let end = authority.firstIndex(where: { [0x2F, 0x3F, 0x23].contains($0) }) { authority = authority[..<end] }
        if let at = authority.lastIndex(of: 0x40) { authority = authority[(at + 1)...] }
        // The colons of an address of IPv6 stand in brackets.
        if authority.first == 0x5B, let bracket = authority.firstIndex(of: 0x5D) {
            authority = authority[...bracket]
        } else if let colon = authority.firstIndex(of: 0x3A) {
            authority = authority[..<colon]
        }
        return lowercased(authority)
    }
}

/// The text with ASCII letters in lower case.
func lowercased(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}
