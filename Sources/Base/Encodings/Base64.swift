// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Base64 (RFC 4648), in the variants of the standards that use it.
package enum Base64 {
    /// The alphabet, padding and whitespace rules of one standard.
    package enum Form: Sendable {
        /// RFC 4648 section 4: padding is required, and the unused bits after the last byte are zero.
        case standard
        /// RFC 7515 section 2: the URL alphabet without padding; the unused bits after the last byte are zero.
        case url
        /// XML Schema Part 2 section 3.2.16: like `standard`, with whitespace anywhere.
        case xml
        /// RFC 2045 section 6.8: like `xml`, with any unused bits after the last byte.
        case mime
        /// RFC 7468 section 2, decoded leniently: like `mime`, but padding may be missing or misplaced.
        case pem
    }

    /// Returns bytes as Base64 text, in one line.
    package static func encode(_ bytes: some Sequence<UInt8>, as form: Form = .standard) -> String {
        let text = bytes.withContiguousStorageIfAvailable { characters(of: $0, as: form) }
        return String(
            decoding: text ?? Array(bytes).withUnsafeBufferPointer { characters(of: $0, as: form) }, as: UTF8.self)
    }

    /// Returns bytes as Base64 characters in ASCII, in one line.
    package static func characters(of bytes: [UInt8], as form: Form = .standard) -> [UInt8] {
        bytes.withUnsafeBufferPointer { characters(of: $0, as: form) }
    }

    /// Returns the bytes of a Base64 text, or `nil` if the text violates the rules of its form.
    package static func decode(_ text: some StringProtocol, as form: Form = .standard) -> [UInt8]? {
        decode(text.utf8, as: form)
    }

    /// Returns the bytes of a Base64 text in ASCII, or `nil` if the text violates the rules of its form.
    package static func decode(_ text: some Sequence<UInt8>, as form: Form = .standard) -> [UInt8]? {
        var decoder = Base64Decoder(form)
        guard var bytes = decoder.decode(text), let last = decoder.finish() else { return nil }
        bytes += last
        return bytes
    }

    private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func characters(of bytes: UnsafeBufferPointer<UInt8>, as form: Form) -> [UInt8] {
        let (isPadded, alphabet) = (form != .url, form == .url ? urlAlphabet : standardAlphabet)
        let (rest, pad) = (bytes.count % 3, UInt8(ascii: "="))
        let count = bytes.count / 3 * 4 + (rest == 0 ? 0 : isPadded ? 4 : rest + 1)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            alphabet.withUnsafeBufferPointer { alphabet in
                var output = 0
                for start in stride(from: 0, to: bytes.count - rest, by: 3) {
                    let group = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                    buffer[output] = alphabet[Int(group >> 18)]
                    buffer[output + 1] = alphabet[Int(group >> 12 & 63)]
                    buffer[output + 2] = alphabet[Int(group >> 6 & 63)]
                    buffer[output + 3] = alphabet[Int(group & 63)]
                    output += 4
                }
                guard rest > 0 else { return }
                let second = rest == 2 ? UInt32(bytes[bytes.count - 1]) : 0
                let group = UInt32(bytes[bytes.count - rest]) << 16 | second << 8
                buffer[output] = alphabet[Int(group >> 18)]
                buffer[output + 1] = alphabet[Int(group >> 12 & 63)]
                if rest == 2 {
                    buffer[output + 2] = alphabet[Int(group >> 6 & 63)]
                } else if isPadded {
                    buffer[output + 2] = pad
                }
                if isPadded { buffer[output + 3] = pad }
            }
            initialized = count
        }
    }

    /// Returns the values of an alphabet's digits, and ``space``, ``padding`` or ``invalid`` for every other byte.
    fileprivate static func values(_ alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        for character in [0x09, 0x0A, 0x0D, 0x20] { values[character] = space }
        values[Int(UInt8(ascii: "="))] = padding
        return values
    }

    fileprivate static let (space, padding, invalid): (UInt8, UInt8, UInt8) = (64, 65, 255)
    fileprivate static let standardValues = values(standardAlphabet)
    fileprivate static let urlValues = values(urlAlphabet)
}

/// Decodes Base64 incrementally.
package struct Base64Decoder: Sendable {
    private let form: Base64.Form
    private let values: [UInt8]
    /// The digits of the incomplete group of four, and their number.
    private var (group, digits): (UInt32, Int) = (0, 0)
    /// The number of padding characters read.
    private var paddings = 0

    /// Makes a decoder for one text.
    package init(_ form: Base64.Form) {
        self.form = form
        values = form == .url ? Base64.urlValues : Base64.standardValues
    }

    /// Returns the bytes of the next piece, or `nil` if it contains a character that is not allowed at its position.
    package mutating func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        if let decoded = text.withContiguousStorageIfAvailable({ decode(piece: $0) }) { return decoded }
        return Array(text).withUnsafeBufferPointer { decode(piece: $0) }
    }

    private mutating func decode(piece text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: (text.count + 3) / 4 * 3 + 3) { buffer, initialized in
            let count = values.withUnsafeBufferPointer { decode(text, values: $0, into: buffer) }
            (isValid, initialized) = (count != nil, count ?? 0)
        }
        return isValid ? bytes : nil
    }

    /// Decodes into a buffer with a capacity of three bytes for every four digits, and three more.
    private mutating func decode(
        _ text: UnsafeBufferPointer<UInt8>, values: UnsafeBufferPointer<UInt8>,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        // Local variables are faster, because the loop runs for each character.
        var (group, digits, paddings, output) = (group, digits, paddings, 0)
        var index = 0
        while index < text.count {
            if digits == 0, paddings == 0, text.count - index >= 4 {
                // This is the fast path for four digits, the most frequent case.
                let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
                let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
                if first | second | third | fourth < 64 {
                    buffer[output] = first << 2 | second >> 4
                    buffer[output + 1] = second << 4 | third >> 2
                    buffer[output + 2] = third << 6 | fourth
                    (index, output) = (index + 4, output + 3)
                    continue
                }
            }
            let value = values[Int(text[index])]
            index += 1
            switch value {
            case 0..<64:
                guard paddings == 0 || form == .pem else { return nil }
                group = group << 6 | UInt32(value)
                digits += 1
                guard digits == 4 else { continue }
                buffer[output] = UInt8(truncatingIfNeeded: group >> 16)
                buffer[output + 1] = UInt8(truncatingIfNeeded: group >> 8)
                buffer[output + 2] = UInt8(truncatingIfNeeded: group)
                (group, digits, output) = (0, 0, output + 3)
            case Base64.space where form != .standard && form != .url: continue
            case Base64.padding where form == .pem: continue
            case Base64.padding where form != .url && digits >= 2 && paddings < 4 - digits: paddings += 1
            default: return nil
            }
        }
        (self.group, self.digits, self.paddings) = (group, digits, paddings)
        return output
    }

    /// Returns the bytes of the last, incomplete group, or `nil` if the text is incomplete.
    package func finish() -> [UInt8]? {
        if digits == 0 { return [] }
        switch form {
        case .url, .pem: break
        case .standard, .xml, .mime: guard digits + paddings == 4 else { return nil }
        }
        let unused = digits == 3 ? group & 0x3 : group & 0xF
        guard form == .mime || form == .pem || digits > 1 && unused == 0 else { return nil }
        switch digits {
        case 3: return [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)]
        case 2: return [UInt8(truncatingIfNeeded: group >> 4)]
        default: return []
        }
    }
}
