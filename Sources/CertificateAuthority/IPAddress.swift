// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Reads IP literals into the octets that a certificate holds.
enum IPAddress {
    /// Four octets for an IPv4 literal, sixteen for an IPv6 literal, `nil` for anything else.
    static func octets(_ text: String) -> [UInt8]? {
        version4(text[...]) ?? version6(text)
    }

    /// Four decimal numbers without leading zeros, which some readers take for octal (RFC 6943 section 3.1.1).
    private static func version4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let octets = parts.compactMap { part -> UInt8? in
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || part.first != "0" else {
                return nil
            }
            return UInt8(part)
        }
        return parts.count == 4 && octets.count == 4 ? octets : nil
    }

    /// RFC 4291 section 2.2, all three forms; zones (RFC 6874) mean nothing in a certificate and are refused.
    private static func version6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        switch halves.count {
        case 1:
            guard let octets = groups(halves[0], mayEndInVersion4: true), octets.count == 16 else { return nil }
            return octets
        case 2:
            let head = halves[0].isEmpty ? [] : groups(halves[0], mayEndInVersion4: false)
            let tail = halves[1].isEmpty ? [] : groups(halves[1], mayEndInVersion4: true)
            guard let head, let tail, head.count + tail.count <= 14 else { return nil }
            return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
        default:
            return nil
        }
    }

    private static func groups(_ text: Substring, mayEndInVersion4: Bool) -> [UInt8]? {
        var octets: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInVersion4, index == parts.count - 1, let last = version4(part) {
                octets += last
            } else if (1...4).contains(part.utf8.count), part.first != "+", let group = UInt16(part, radix: 16) {
                octets += [UInt8(group >> 8), UInt8(group & 0xff)]
            } else {
                return nil
            }
        }
        return octets
    }
}
