// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

/// An attribute of an object in a token, with its value as the module reads it.
struct TokenAttribute {
    let type: CK_ATTRIBUTE_TYPE
    let value: [UInt8]

    static func bytes(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) -> Self { Self(type: type, value: value) }

    static func flag(_ type: CK_ATTRIBUTE_TYPE, _ value: Bool) -> Self { Self(type: type, value: [value ? 1 : 0]) }

    static func number(_ type: CK_ATTRIBUTE_TYPE, _ value: CK_ULONG) -> Self {
        Self(type: type, value: withUnsafeBytes(of: value) { Array($0) })
    }
}

extension [TokenAttribute] {
    /// A `CK_ULONG` in a value has to be aligned.
    private static var alignment: Int { MemoryLayout<CK_ULONG>.alignment }

    /// Lends the attributes to a module.
    func withAttributes<Result>(_ body: (UnsafeMutablePointer<CK_ATTRIBUTE>, CK_ULONG) -> Result) -> Result {
        let sizes = map { ($0.value.count + Self.alignment - 1) / Self.alignment * Self.alignment }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: sizes.reduce(0, +), alignment: Self.alignment)
        defer { memory.deallocate() }
        var attributes: [CK_ATTRIBUTE] = []
        var offset = 0
        for (attribute, size) in zip(self, sizes) {
            let place = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + attribute.value.count])
            place.copyBytes(from: attribute.value)
            attributes.append(
                CK_ATTRIBUTE(
                    type: attribute.type, pValue: place.baseAddress, ulValueLen: CK_ULONG(attribute.value.count)))
            offset += size
        }
        return body(&attributes, CK_ULONG(attributes.count))
    }
}
