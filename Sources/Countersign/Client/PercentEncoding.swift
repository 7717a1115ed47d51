// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How text that may hold anything is written where some characters mean something.
enum PercentEncoding {
    /// A component of a URL: all but the unreserved characters of RFC 3986 section 2.3.
    case component
    /// A form as browsers send it: `application/x-www-form-urlencoded` of the URL standard.
    case form

    /// One name and its value.
    func item(_ name: String, _ value: String?) -> String {
        encode(name) + (value.map { "=" + encode($0) } ?? "")
    }

    func encode(_ text: String) -> String {
        var encoded = ""
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if keeps(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else if byte == UInt8(ascii: " "), self == .form {
                encoded.append("+")
            } else {
                encoded.append(byte < 16 ? "%0" : "%")
                encoded.append(String(byte, radix: 16, uppercase: true))
            }
        }
        return encoded
    }

    private func keeps(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        case UInt8(ascii: "~"): self == .component
        case UInt8(ascii: "*"): self == .form
        default: false
        }
    }
}
