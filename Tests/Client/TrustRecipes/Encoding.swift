// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Foundation

/// DER encodings written by hand, which may be invalid.
package enum Encoding {
    package static func element(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xff), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    package static func sequence(_ content: [UInt8]...) -> [UInt8] { element(0x30, content.flatMap(\.self)) }
    package static func integer(_ content: [UInt8]) -> [UInt8] { element(0x02, content) }
    package static func octets(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }
    package static func bits(_ content: [UInt8]) -> [UInt8] { element(0x03, [0], content) }
    package static func tagged(_ number: UInt8, _ content: [UInt8]...) -> [UInt8] {
        element(0xa0 | number, content.flatMap(\.self))
    }

    /// Encodes an object identifier from its content bytes.
    package static func identifier(_ content: [UInt8]) -> [UInt8] { element(0x06, content) }

    package static func utcTime(_ time: Date) -> [UInt8] { element(0x17, Array(text(time).dropFirst(2).utf8)) }
    package static func generalizedTime(_ time: Date) -> [UInt8] { element(0x18, Array(text(time).utf8)) }

    private static func text(_ time: Date) -> String {
        let digits = time.formatted(.iso8601).filter(\.isNumber)
        return digits + "Z"
    }

    /// Encodes an extension; `value` is the content of its OCTET STRING.
    package static func certificateExtension(
        _ identifier: [UInt8], critical: Bool = false, _ value: [UInt8]
    ) -> [UInt8] {
        sequence(self.identifier(identifier), critical ? [1, 1, 0xff] : [], octets(value))
    }

    /// Encodes an extension below id-ce, 2.5.29.
    package static func extensionNumber(_ number: UInt8, critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        certificateExtension([0x55, 0x1d, number], critical: critical, value)
    }
}
