// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension [UInt8] {
    /// Appends a number as NTLM's messages hold it, least significant byte first (MS-NLMP section 2.2).
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Reads a number, least significant byte first; `nil` where the bytes end before it does.
    func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard offset >= 0, size <= count, offset <= count - size else { return nil }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    /// A text as NTLM's messages hold it: UTF-16, least significant byte first, neither marked nor terminated.
    init(utf16 text: some StringProtocol) {
        self = []
        reserveCapacity(2 * text.utf16.count)
        for unit in text.utf16 { append(littleEndian: unit) }
    }
}
