// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Parses and formats IP addresses, without the shorthand forms that resolvers interpret differently.
package enum IPAddressText {
    /// Parses an IPv4 address: four decimal numbers without leading zeros.
    package static func ipv4(_ text: String) -> [UInt8]? {
        // This rejects most names early.
        guard text.utf8.last?.isDigit == true else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4)
        var number: Int?
        for byte in text.utf8 {
            switch (byte, number) {
            case (UInt8(ascii: "."), let last?):
                bytes.append(UInt8(last))
                number = nil
            case (_, nil) where byte.isDigit: number = Int(byte) - 0x30
            case (_, let last?) where byte.isDigit && last != 0:
                let next = last * 10 + Int(byte) - 0x30
                guard next <= 255 else { return nil }
                number = next
            default: return nil
            }
        }
        guard bytes.count == 3, let number else { return nil }
        bytes.append(UInt8(number))
        return bytes
    }

    /// Parses an IPv6 address (RFC 4291 section 2.2), without a zone.
    package static func ipv6(_ text: String) -> [UInt8]? {
        guard text.utf8.contains(UInt8(ascii: ":")), text.utf8.count <= 45 else { return nil }
        let gap = text.firstRange(of: "::")
        let halves = [text[..<(gap?.lowerBound ?? text.endIndex)], text[(gap?.upperBound ?? text.endIndex)...]]
        let isComplete = gap == nil
        guard let head = groups(halves[0], mayEndInIPv4: isComplete) else { return nil }
        guard !isComplete else { return head.count == 16 ? head : nil }
        guard let tail = groups(halves[1], mayEndInIPv4: true), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains("."), let address = ipv4(String(part)) {
                bytes += address
            } else {
                guard (1...4).contains(part.utf8.count), part.first != "+", part.first != "-",
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }

    /// Formats an address in dotted decimal, or as in RFC 5952.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let all = Array(bytes)
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(all[$0]) << 8 | UInt16(all[$0 + 1]) }
        let texts = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeroRun(groups) else { return texts.joined(separator: ":") }
        return texts[..<zeros.lowerBound].joined(separator: ":") + "::"
            + texts[zeros.upperBound...].joined(separator: ":")
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best = 0..<1
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > best.count { best = start..<end }
            start = max(end, start) + 1
        }
        return best.count > 1 ? best : nil
    }
}
