// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Percent-encoding, as curl's test files have it: what is no code stands for itself.
enum PercentCode {
    static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var (decoded, rest) = ([UInt8](), Array(bytes)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                digits.allSatisfy({ $0 != UInt8(ascii: "+") })
            {
                decoded.append(code)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    static func decode(_ text: some StringProtocol) -> String {
        String(decoding: decode(text.utf8), as: UTF8.self)
    }
}
