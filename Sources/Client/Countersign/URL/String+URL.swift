// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Encodings
import EssentialFoundation

extension String {
    /// A URL with one more item in its query, which stands before the fragment (RFC 3986 section 3).
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
    /// Without the optional space around it (RFC 9110 section 5.6.3).
    package var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}

extension HostName {
    /// Domain-matching (RFC 6265 section 5.1.3): an address has nothing below it.
    func isAtOrBelow(_ domain: HostName) -> Bool {
        if self == domain { return true }
        guard !isAddress, !domain.isAddress else { return false }
        let (name, end) = (description.utf8, domain.description.utf8)
        return name.count > end.count + 1 && name.suffix(end.count).elementsEqual(end)
            && name.dropLast(end.count).last == UInt8(ascii: ".")
    }
}

extension String {
    /// What stands after the first `#` of a URL, percent-encoded; `nil` where nothing does.
    var fragment: String? {
        // Every request asks, and nearly none has one.
        let sign = UInt8(ascii: "#")
        guard utf8.withContiguousStorageIfAvailable({ $0.contains(sign) }) ?? utf8.contains(sign) else { return nil }
        return URL(string: self)?.fragment(percentEncoded: true)
    }

    /// The text without what stands between `//` and `@`, so that an error can quote a URL.
    package var droppingUserInfo: String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        let end = self[start...].firstIndex { "/?#".contains($0) } ?? endIndex
        guard let at = self[start..<end].lastIndex(of: "@") else { return self }
        return String(self[..<start] + self[index(after: at)...])
    }

    /// The text of what is no URL without all that may be a user and a password in it, however it was mistyped.
    var hidingUserInfo: String {
        guard let at = lastIndex(of: "@") else { return self }
        return "…" + self[at...]
    }
}
