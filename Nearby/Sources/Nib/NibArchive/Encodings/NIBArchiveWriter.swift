// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Nib {
    /// The nib in NIBArchive format.
    ///
    /// For a NIBArchive that Interface Builder wrote, the bytes equal those of the file. A nib read from another
    /// encoding gets format version 1 and the coder version of its framework.
    public var nibArchive: [UInt8] {
        var versions: (format: UInt32, coder: UInt32) = (1, isUIKit ? 9 : 10)
        if case .nibArchive(let format, let coder) = encoding { versions = (format, coder) }
        var writer = NIBArchiveWriter()
        writer.integer(versions.format)
        writer.integer(versions.coder)
        let header = writer.bytes.count
        writer.bytes += Array(repeating: 0, count: 32)
        var tables: [(count: Int, offset: Int)] = []
        func startTable(_ count: Int) { tables.append((count, writer.bytes.count)) }
        startTable(objects.count)
        objects.forEach { writer.object($0) }
        startTable(keys.count)
        keys.forEach { writer.text($0.utf8) }
        startTable(values.count)
        values.forEach { writer.value($0) }
        startTable(classes.count)
        classes.forEach { writer.nibClass($0) }
        writer.fill(tables, at: header)
        return writer.bytes
    }
}

/// Writes the parts of a NIBArchive in sequence.
private struct NIBArchiveWriter {
    var bytes = NIBArchiveReader.magic

    mutating func object(_ object: NibObject) {
        length(object.classIndex)
        length(object.values.lowerBound)
        length(object.values.count)
    }

    mutating func value(_ entry: NibEntry) {
        length(entry.keyIndex)
        bytes.append(entry.value.type)
        switch entry.value {
        case .int8(let value): integer(value)
        case .int16(let value): integer(value)
        case .int32(let value): integer(value)
        case .int64(let value): integer(value)
        case .bool, .nil: break
        case .float(let value): integer(value.bitPattern)
        case .double(let value): integer(value.bitPattern)
        case .data(let value): text(value)
        case .object(let value): integer(UInt32(truncatingIfNeeded: value.index))
        }
    }

    mutating func nibClass(_ nibClass: NibClass) {
        length(nibClass.name.utf8.count + 1)
        length(nibClass.fallbacks.count)
        for fallback in nibClass.fallbacks { integer(UInt32(truncatingIfNeeded: fallback)) }
        bytes += nibClass.name.utf8
        bytes.append(0)
    }

    mutating func text(_ text: some Collection<UInt8>) {
        length(text.count)
        bytes += text
    }

    mutating func length(_ value: Int) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F))
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
    }

    mutating func integer<Integer: FixedWidthInteger>(_ value: Integer) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes the counts and offsets of the tables into the header.
    mutating func fill(_ tables: [(count: Int, offset: Int)], at header: Int) {
        for (index, number) in tables.flatMap({ [$0.count, $0.offset] }).enumerated() {
            for byte in 0..<4 {
                bytes[header + 4 * index + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
            }
        }
    }
}
