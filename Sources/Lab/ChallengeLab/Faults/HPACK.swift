// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Header blocks, written by hand so that they can be wrong (RFC 7541).
enum HPACK {
    /// A field that is not remembered.
    static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0x00] + string(name) + string(value)
    }

    /// A field that is remembered.
    static func remembered(_ name: String, _ value: String) -> [UInt8] {
        [0x40] + string(name) + string(value)
    }

    /// What was remembered last.
    static let latest: UInt8 = 0x80 | 62

    private static func string(_ text: String) -> [UInt8] {
        integer(text.utf8.count) + text.utf8
    }

    /// With a prefix of seven bits (RFC 7541 section 5.1).
    private static func integer(_ value: Int) -> [UInt8] {
        guard value >= 127 else { return [UInt8(value)] }
        var rest = value - 127
        var bytes: [UInt8] = [127]
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
