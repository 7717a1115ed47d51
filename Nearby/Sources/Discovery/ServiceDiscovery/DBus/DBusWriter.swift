// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Encodes values in little-endian order, each aligned to its size (D-Bus specification, "Marshaling").
struct DBusWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: DBusValue) {
        switch value {
        case .byte(let byte): bytes.append(byte)
        case .boolean(let boolean): append(integer: UInt32(boolean ? 1 : 0))
        case .int16(let integer): append(integer: integer)
        case .uint16(let integer): append(integer: integer)
        case .int32(let integer): append(integer: integer)
        case .uint32(let integer): append(integer: integer)
        case .int64(let integer): append(integer: integer)
        case .uint64(let integer): append(integer: integer)
        case .string(let text), .objectPath(let text):
            append(integer: UInt32(text.utf8.count))
            bytes += Array(text.utf8) + [0]
        case .signature(let text): bytes += [UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8) + [0]
        case .array(let element, let values):
            append(integer: UInt32(0))
            let place = bytes.count - 4
            if let first = element.utf8.first { align(to: DBusValue.alignment(first)) }
            let start = bytes.count
            for value in values { append(value) }
            let length = UInt32(bytes.count - start)
            withUnsafeBytes(of: length.littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
        case .structure(let fields):
            align(to: 8)
            for field in fields { append(field) }
        case .variant(let value):
            append(.signature(value.signature))
            append(value)
        }
    }

    mutating func align(to size: Int) {
        bytes += [UInt8](repeating: 0, count: (size - bytes.count % size) % size)
    }

    private mutating func append<Integer: FixedWidthInteger>(integer: Integer) {
        align(to: Integer.bitWidth / 8)
        withUnsafeBytes(of: integer.littleEndian) { bytes += $0 }
    }
}
