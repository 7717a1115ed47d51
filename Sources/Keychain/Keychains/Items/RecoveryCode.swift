// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import Secrets

/// A code of 160 random bits, to be written on paper, that opens a keychain whose passphrase is lost.
///
/// The text is in Crockford's base 32, in eight groups of four characters and a ninth group that detects mistakes:
/// `2KQ7-...`. Hyphens, spaces and case are ignored, and O, I and L are read as 0 and 1.
public struct RecoveryCode: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let byteCount = 20
    private static let checkCount = 4

    let bytes: Secret

    /// Creates a new random code.
    public init() {
        bytes = Secret(utf8: SymmetricKey(size: .init(bitCount: Self.byteCount * 8)).withUnsafeBytes { Array($0) })
    }

    /// Parses a code.
    ///
    /// - Throws: ``KeychainError/malformedRecoveryCode`` if a character is missing or wrong.
    public init(_ text: Secret) throws(KeychainError) {
        var digits: [UInt8] = []
        defer { digits.erase() }
        for byte in text.withUnsafeBytes({ Array($0) }) where !Array("- \t\r\n".utf8).contains(byte) {
            guard let digit = Self.digit(byte) else { throw .malformedRecoveryCode }
            digits.append(digit)
        }
        guard digits.count == Self.byteCount * 8 / 5 + Self.checkCount else { throw .malformedRecoveryCode }
        var code = Self.join(digits.prefix(Self.byteCount * 8 / 5))
        defer { code.erase() }
        guard digits.suffix(Self.checkCount).elementsEqual(Self.check(code)) else { throw .malformedRecoveryCode }
        bytes = Secret(utf8: code)
    }

    /// The code as text, in groups.
    public var text: Secret {
        bytes.withUnsafeBytes { code in
            let digits = Self.split(Array(code)) + Self.check(Array(code))
            let characters = digits.map { Self.alphabet[Int($0)] }
            var text: [UInt8] = []
            for (index, character) in characters.enumerated() {
                if index > 0, index % 4 == 0 { text.append(UInt8(ascii: "-")) }
                text.append(character)
            }
            return Secret(utf8: text)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        let read: UInt8 =
            switch upper {
            case UInt8(ascii: "O"): UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
            default: upper
            }
        return alphabet.firstIndex(of: read).map { UInt8($0) }
    }

    private static func check(_ code: [UInt8]) -> [UInt8] {
        Array(split(Array(SHA256.hash(data: code).prefix(5))).prefix(checkCount))
    }

    /// Returns the bytes as digits of five bits each, the most significant first.
    private static func split(_ bytes: [UInt8]) -> [UInt8] {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 5).map { bits[$0..<($0 + 5)].reduce(0) { $0 << 1 | $1 } }
    }

    private static func join(_ digits: some Collection<UInt8>) -> [UInt8] {
        let bits = digits.flatMap { digit in (0..<5).map { digit >> (4 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 8).map { bits[$0..<($0 + 8)].reduce(0) { $0 << 1 | $1 } }
    }
}
