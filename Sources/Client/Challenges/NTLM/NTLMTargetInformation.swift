// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The attributes of a server, in its order, and those that a client adds (AV_PAIR, MS-NLMP section 2.2.2.1).
struct NTLMTargetInformation: Hashable {
    /// An attribute's AvId.
    enum Attribute: UInt16 {
        case end = 0
        case flags = 6
        case timestamp = 7
        case targetName = 9
        case channelBindings = 10
    }

    private struct Pair: Hashable {
        let identifier: UInt16
        var value: [UInt8]
    }

    private var pairs: [Pair] = []

    /// No attributes, as for a server that sends no target information.
    init() {}

    /// Reads attributes up to the end mark; what follows it is not repeated to the server.
    init(_ bytes: [UInt8]) throws(NTLMError) {
        var seen: Set<UInt16> = []
        var offset = 0
        while true {
            guard let identifier = bytes.littleEndian(UInt16.self, at: offset),
                let length = bytes.littleEndian(UInt16.self, at: offset + 2).map(Int.init)
            else { throw .unterminatedTargetInformation }
            let start = offset + 4
            guard length <= bytes.count - start else { throw .truncated }
            try Self.checkLength(length, of: identifier)
            if identifier == Attribute.end.rawValue { return }
            guard seen.insert(identifier).inserted else { throw .duplicateAttribute(identifier) }
            pairs.append(Pair(identifier: identifier, value: Array(bytes[start..<start + length])))
            offset = start + length
        }
    }

    private static func checkLength(_ length: Int, of identifier: UInt16) throws(NTLMError) {
        let fits =
            switch Attribute(rawValue: identifier) {
            case .end: length == 0
            case .flags: length == 4
            case .timestamp: length == 8
            case .targetName, .channelBindings, nil: true
            }
        guard fits else { throw .malformedAttribute(identifier) }
    }

    /// An attribute's value; one that is set comes last, or stays where the server had it.
    subscript(attribute: Attribute) -> [UInt8]? {
        get { pairs.first { $0.identifier == attribute.rawValue }?.value }
        set {
            let index = pairs.firstIndex { $0.identifier == attribute.rawValue }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(identifier: attribute.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The attributes and the end mark; each value must be shorter than 2¹⁶ bytes.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for pair in pairs {
            bytes.append(littleEndian: pair.identifier)
            bytes.append(littleEndian: UInt16(truncatingIfNeeded: pair.value.count))
            bytes += pair.value
        }
        return bytes + [0, 0, 0, 0]
    }
}
