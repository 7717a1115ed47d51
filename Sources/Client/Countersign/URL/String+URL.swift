// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Encodings
import EssentialFoundation

extension String {
    /// Returns the URL with another item in its query, which precedes the fragment (RFC 3986 section 3).
    func appendingQuery(_ name: String, _ value: String?) -> String {
        let fragment = firstIndex(of: "#") ?? endIndex
        let head = self[..<fragment]
        let separator =
            switch (head.contains("?"), head.last) {
            case (false, _): "?"
            case (true, "?"), (true, "&"): ""
            case (true, _): "&"
            }
        let item = [name, value].compactMap(\.self)
            .map { PercentEncoding.encode($0.utf8, allowing: PercentEncoding.isUnreserved) }.joined(separator: "=")
        return head + separator + item + self[fragment...]
    }
}

extension Substring {
    /// The text without leading and trailing white space (RFC 9110 section 5.6.3).
    package var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}

extension HostName {
    /// Returns whether the host domain-matches a domain (RFC 6265 section 5.1.3); an address has no subdomains.
    func isAtOrBelow(_ domain: HostName) -> Bool {
        if self == domain { return true }
        guard !isAddress, !domain.isAddress else { return false }
        let (name, end) = (description.utf8, domain.description.utf8)
        return name.count > end.count + 1 && name.suffix(end.count).elementsEqual(end)
            && name.dropLast(end.count).last == UInt8(ascii: ".")
    }
}

extension String {
    /// The percent-encoded text after the first `#` of a URL; `nil` if there is no `#`.
    var fragment: String? {
        // This is called for every request, and almost no URL has a fragment.
        let sign = UInt8(ascii: "#")
        guard utf8.withContiguousStorageIfAvailable({ $0.contains(sign) }) ?? utf8.contains(sign) else { return nil }
        return URL(string: self)?.fragment(percentEncoded: true)
    }

    /// The text without the user information between `//` and `@`, so that an error can quote a URL.
    package var droppingUserInfo: String {
        guard utf8.contains(UInt8(ascii: "@")), let start = firstRange(of: "//")?.upperBound else { return self }
        let end = self[start...].firstIndex { "/?#".contains($0) } ?? endIndex
        guard let at = self[start..<end].lastIndex(of: "@") else { return self }
        return String(self[..<start] + self[index(after: at)...])
    }

    /// A malformed URL without everything that may be a user name and a password, even if it was mistyped.
    var hidingUserInfo: String {
        guard let at = lastIndex(of: "@") else { return self }
        return "…" + self[at...]
    }
}
