// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bytes that are written one after the other.
///
/// Arrays check more than a canonical form of millions of short pieces can pay for.
struct ByteSink: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 256)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// All that was written.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
        if count == capacity { grow() }
        start[count] = byte
        count &+= 1
    }

    /// Writes a text up to the null at its end.
    @inline(__always)
    mutating func write(_ text: UnsafePointer<UInt8>) {
        var next = text
        while next.pointee != 0 {
            write(next.pointee)
            next += 1
        }
    }

    /// Writes a text up to the null at its end, with its special characters as references.
    @inline(__always)
    mutating func write(_ text: UnsafePointer<UInt8>, _ escaping: Escaping) {
        var next = text
        while true {
            let byte = next.pointee
            if byte > 0x3e {
                write(byte)
            } else if byte == 0 {
                return
            } else if let reference = escaping.reference(to: byte) {
                write(reference.utf8Start)
            } else {
                write(byte)
            }
            next += 1
        }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        larger.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, capacity * 2)
    }
}

/// Which characters are written as references (Canonical XML 1.1 section 2.3).
enum Escaping {
    case text, attribute, leaf

    /// The reference to a byte, with null at its end; `nil` where it is written as it is.
    @inline(__always)
    func reference(to byte: UInt8) -> StaticString? {
        switch (byte, self) {
        case (0x26, .text), (0x26, .attribute): "&amp;"
        case (0x3c, .text), (0x3c, .attribute): "&lt;"
        case (0x3e, .text): "&gt;"
        case (0x22, .attribute): "&quot;"
        case (0x09, .attribute): "&#x9;"
        case (0x0a, .attribute): "&#xA;"
        case (0x0d, _): "&#xD;"
        default: nil
        }
    }
}
