// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import X509

/// A serial number as the server's records and URLs have it: lower-case hexadecimal digits without zeros in front.
func hex(_ number: Certificate.SerialNumber) -> String {
    let digits = number.bytes.map { byte in
        let text = String(byte, radix: 16)
        return byte < 16 ? "0" + text : text
    }
    let text = digits.joined().drop { $0 == "0" }
    return text.isEmpty ? "0" : String(text)
}
