// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a server says of itself, and a client repeats and adds to (AV_PAIR, MS-NLMP section 2.2.2.1).
struct NTLMAttributes {
    enum Name: UInt64, CaseIterable {
        case computer = 1
        case domain = 2
        case dnsComputer = 3
        case dnsDomain = 4
        case flags = 6
        case timestamp = 7
        case targetName = 9
        case channelBinding = 10
    }

    private(set) var values: [UInt64: [UInt8]] = [:]

    subscript(name: Name) -> [UInt8]? {
        get { values[name.rawValue] }
        set { values[name.rawValue] = newValue }
    }

    init() {}

    /// Reads up to the end mark; an attribute that comes twice is refused.
    init(_ bytes: [UInt8]) throws(NTLMRefusal) {
        var rest = bytes[...]
        while rest.count >= 4 {
            let header = Array(rest.prefix(4))
            let (name, length) = (UInt64(header[0]) | UInt64(header[1]) << 8, Int(header[2]) | Int(header[3]) << 8)
            rest = rest.dropFirst(4)
            guard name != 0 else { return }
            guard rest.count >= length, values[name] == nil else { throw .malformed }
            values[name] = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        throw .malformed
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            bytes.append(name, size: 2)
            bytes.append(UInt64(value.count), size: 2)
            bytes += value
        }
        return bytes + [0, 0, 0, 0]
    }
}
