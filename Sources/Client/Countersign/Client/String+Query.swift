// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

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
        // All but the unreserved characters (RFC 3986 section 2.3).
        let item = ([name] + (value.map { [$0] } ?? [])).map { $0.percentEncoded(besides: "-._~") }.joined(
            separator: "=")
        return head + separator + item + self[fragment...]
    }
}
