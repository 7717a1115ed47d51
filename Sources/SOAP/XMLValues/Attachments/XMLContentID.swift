// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Content identifiers as URLs (RFC 2392).
package enum XMLContentID {
    /// The URL of an identifier.
    package static func href(_ id: String) -> String {
        var href = "cid:"
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "@"):
                href.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                href += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return href
    }

    /// The identifier that a URL names; `nil` for any other URL, which is never fetched.
    package static func id(_ href: String) -> String? {
        guard href.utf8.count <= 1_000, href.prefix(4).lowercased() == "cid:" else { return nil }
        var bytes: [UInt8] = []
        var rest = href.utf8.dropFirst(4)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        guard let id = String(validating: bytes, as: UTF8.self), !id.isEmpty else { return nil }
        return id
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    package var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
