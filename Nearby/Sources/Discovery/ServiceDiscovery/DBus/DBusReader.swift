// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An error in the encoding of a D-Bus message.
struct MalformedDBusMessage: Error {}

/// Reads the values of a message, which are aligned to their sizes.
struct DBusReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private let isLittleEndian: Bool
    /// The maximum nesting depth of containers (D-Bus specification, "Valid Signatures").
    private static let maximumDepth = 32

    init(_ bytes: ArraySlice<UInt8>, at index: Int, isLittleEndian: Bool) {
        (self.bytes, self.index, self.isLittleEndian) = (bytes, bytes.startIndex + index, isLittleEndian)
    }

    /// Reads all values of a signature.
    mutating func values(_ signature: String) throws(MalformedDBusMessage) -> [DBusValue] {
        var (types, values) = (Array(signature.utf8)[...], [DBusValue]())
        while !types.isEmpty { values.append(try value(&types, depth: 0)) }
        return values
    }

    private mutating func value(
        _ types: inout ArraySlice<UInt8>, depth: Int
    ) throws(MalformedDBusMessage) -> DBusValue {
        guard depth <= Self.maximumDepth, let type = types.popFirst() else { throw MalformedDBusMessage() }
        switch type {
        case UInt8(ascii: "y"): return .byte(try integer(UInt8.self))
        case UInt8(ascii: "b"): return .boolean(try integer(UInt32.self) != 0)
        case UInt8(ascii: "n"): return .int16(Int16(bitPattern: try integer(UInt16.self)))
        case UInt8(ascii: "q"): return .uint16(try integer(UInt16.self))
        case UInt8(ascii: "i"): return .int32(Int32(bitPattern: try integer(UInt32.self)))
        case UInt8(ascii: "u"), UInt8(ascii: "h"): return .uint32(try integer(UInt32.self))
        case UInt8(ascii: "x"): return .int64(Int64(bitPattern: try integer(UInt64.self)))
        case UInt8(ascii: "t"), UInt8(ascii: "d"): return .uint64(try integer(UInt64.self))
        case UInt8(ascii: "s"): return .string(try text(try integer(UInt32.self)))
        case UInt8(ascii: "o"): return .objectPath(try text(try integer(UInt32.self)))
        case UInt8(ascii: "g"): return .signature(try text(UInt32(try integer(UInt8.self))))
        case UInt8(ascii: "a"): return try array(&types, depth: depth + 1)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            let end = type == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
            try align(to: 8)
            var fields: [DBusValue] = []
            while types.first != end { fields.append(try value(&types, depth: depth + 1)) }
            types.removeFirst()
            return .structure(fields)
        case UInt8(ascii: "v"):
            guard case .signature(let signature) = try signature() else { throw MalformedDBusMessage() }
            var inner = Array(signature.utf8)[...]
            let value = try value(&inner, depth: depth + 1)
            guard inner.isEmpty else { throw MalformedDBusMessage() }
            return .variant(value)
        default: throw MalformedDBusMessage()
        }
    }

    private mutating func signature() throws(MalformedDBusMessage) -> DBusValue {
        .signature(try text(UInt32(try integer(UInt8.self))))
    }

    private mutating func array(
        _ types: inout ArraySlice<UInt8>, depth: Int
    ) throws(MalformedDBusMessage) -> DBusValue {
        let length = Int(try integer(UInt32.self))
        let element = try Self.firstType(of: types)
        types = types.dropFirst(element.count)
        if let first = element.first { try align(to: DBusValue.alignment(first)) }
        let (end, overflow) = index.addingReportingOverflow(length)
        guard !overflow, end <= bytes.endIndex else { throw MalformedDBusMessage() }
        var values: [DBusValue] = []
        while index < end {
            let start = index
            var rest = element
            values.append(try value(&rest, depth: depth))
            // An empty structure takes no bytes, so an array could have unlimited elements.
            guard index > start else { throw MalformedDBusMessage() }
        }
        guard index == end else { throw MalformedDBusMessage() }
        return .array(of: String(decoding: element, as: UTF8.self), values)
    }

    /// Returns the type codes of the first complete type.
    private static func firstType(of types: ArraySlice<UInt8>) throws(MalformedDBusMessage) -> ArraySlice<UInt8> {
        var depth = 0
        for index in types.indices {
            switch types[index] {
            case UInt8(ascii: "a"): continue
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth == 0 { return types[types.startIndex...index] }
        }
        throw MalformedDBusMessage()
    }

    private mutating func align(to size: Int) throws(MalformedDBusMessage) {
        let offset = index - bytes.startIndex
        _ = try take((size - offset % size) % size)
    }

    private mutating func integer<Integer: FixedWidthInteger & UnsignedInteger>(
        _: Integer.Type
    ) throws(MalformedDBusMessage) -> Integer {
        try align(to: Integer.bitWidth / 8)
        let part = try take(Integer.bitWidth / 8)
        return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Integer($1) }
    }

    private mutating func text(_ length: UInt32) throws(MalformedDBusMessage) -> String {
        let part = try take(Int(length))
        guard try take(1).first == 0, let text = String(validating: part, as: UTF8.self) else {
            throw MalformedDBusMessage()
        }
        return text
    }

    private mutating func take(_ count: Int) throws(MalformedDBusMessage) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - index else { throw MalformedDBusMessage() }
        defer { index += count }
        return bytes[index..<index + count]
    }
}
