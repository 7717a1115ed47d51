// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A value in a D-Bus message (D-Bus specification, "Type System"), limited to the types that this module uses.
indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case string(String)
    case objectPath(String)
    case signature(String)
    case array(of: String, [DBusValue])
    case structure([DBusValue])
    case variant(DBusValue)

    /// The type code of the value.
    var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    /// Returns the alignment of a type in a message.
    static func alignment(_ type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }

    var text: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// Returns an array of byte strings, Avahi's representation of TXT data.
    static func byteStrings(_ strings: [[UInt8]]) -> DBusValue {
        .array(of: "ay", strings.map { .array(of: "y", $0.map(DBusValue.byte)) })
    }

    var byteStrings: [[UInt8]]? {
        guard case .array(_, let strings) = self else { return nil }
        return strings.map { string in
            guard case .array(_, let bytes) = string else { return [] }
            return bytes.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
        }
    }
}
