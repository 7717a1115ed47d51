// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// Bytes that are written in hexadecimal digits: XML Schema's `hexBinary`.
public struct XMLHexBinary: XMLSimpleType, Hashable, ExpressibleByArrayLiteral {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates a value that holds bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Creates a value that holds the bytes of a literal.
    public init(arrayLiteral elements: UInt8...) { bytes = elements }

    /// `xsd:hexBinary`.
    public static var xmlType: XMLName? { .schema("hexBinary") }

    /// Reads two digits for each byte, of either case.
    ///
    /// - Throws: ``XMLValueError/invalid(text:type:at:)``.
    public init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        bytes = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for byte in text.utf8 {
            guard let digit = byte.hexDigit else { throw .invalid(text: text, type: "hexBinary") }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw .invalid(text: text, type: "hexBinary") }
    }

    /// Returns two upper-case digits for each byte.
    public func xmlText(in scope: inout XMLScope) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
