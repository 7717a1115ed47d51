// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

extension HostName {
    /// The name with its A-labels decoded, as the public suffix list writes it (RFC 5890 section 2.3.2.1).
    package var inUnicode: String { isAddress ? description : Punycode.decodingLabels(of: description) }
}

/// The Punycode encoding of internationalized labels (RFC 3492).
package enum Punycode {
    /// Returns a host name in lower case with its A-labels decoded; a label that is not valid stays as it is.
    static func decodingLabels(of name: String) -> String {
        guard name.utf8.starts(with: "xn--".utf8) || name.contains(".xn--") else { return name }
        return name.split(separator: ".", omittingEmptySubsequences: false).map { label in
            guard label.hasPrefix("xn--") else { return String(label) }
            return decode(label.dropFirst(4)) ?? String(label)
        }.joined(separator: ".")
    }

    /// The parameters of section 5.
    private static let (base, lowest, highest, skew, damp) = (36, 1, 26, 38, 700)

    /// Decodes the text after `xn--` (section 6.2); `nil` if it is not valid.
    package static func decode(_ text: Substring) -> String? {
        let basicEnd = text.lastIndex(of: "-")
        var output = Array((basicEnd.map { text[..<$0] } ?? "").unicodeScalars)
        var input = (basicEnd.map { text[text.index(after: $0)...] } ?? text).utf8[...]
        var (code, position, bias) = (128, 0, 72)
        while !input.isEmpty {
            guard let delta = delta(&input, bias: bias), delta < 1 << 24 else { return nil }
            let length = output.count + 1
            bias = adapt(delta, length: length, isFirst: position == 0 && code == 128)
            position += delta
            code += position / length
            position %= length
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else { return nil }
            output.insert(scalar, at: position)
            position += 1
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: output)
        return String(result)
    }

    /// Decodes a variable-length integer.
    private static func delta(_ input: inout Substring.UTF8View, bias: Int) -> Int? {
        var (sum, weight, k) = (0, 1, base)
        while let byte = input.popFirst() {
            guard let digit = digit(byte), weight < 1 << 32 else { return nil }
            sum += digit * weight
            let threshold = min(max(k - bias, lowest), highest)
            if digit < threshold { return sum }
            weight *= base - threshold
            k += base
        }
        return nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    /// Adapts the bias (section 6.1).
    private static func adapt(_ delta: Int, length: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / length
        var k = 0
        while delta > (base - lowest) * highest / 2 {
            delta /= base - lowest
            k += base
        }
        return k + (base - lowest + 1) * delta / (delta + skew)
    }
}
