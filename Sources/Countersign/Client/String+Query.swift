// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
        let item = name.percentEncoded + (value.map { "=" + $0.percentEncoded } ?? "")
        return head + separator + item + self[fragment...]
    }

    /// All but the unreserved characters of RFC 3986 section 2.3 by their bytes (section 2.1).
    private var percentEncoded: String {
        utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += byte < 16 ? "%0" : "%"
                encoded += String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
