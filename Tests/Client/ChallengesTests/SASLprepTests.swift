// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Secrets
import Testing

@testable import Challenges

@Suite struct SASLprepTests {
    typealias Unpreparable = HTTPAuthenticatorError.Unpreparable

    private static func prepared(_ text: String, use: SASLprep.Use = .stored) throws -> String {
        try SASLprep.prepare(Secret(text), part: .password, use: use)
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Strings are prepared as in RFC 4013",
        arguments: [
            // RFC 4013 section 3
            ("I\u{ad}X", "IX"),
            ("user", "user"),
            ("USER", "USER"),
            ("\u{aa}", "a"),
            ("\u{2168}", "IX"),
            // Section 2.1, and the published vectors of several implementations
            ("a\u{a0}b\u{3000}c\u{200b}d", "a b c d"),
            ("\u{feff}a\u{34f}\u{1806}\u{180b}\u{200c}\u{200d}\u{2060}\u{fe0f}", "a"),
            ("\u{2163}", "IV"),
            ("p\u{ff45}ncil", "pencil"),
            ("u\u{308}", "\u{fc}"),
            ("\u{fb01}", "fi"),
            (
                "\u{fdf2}\u{fdfa}",
                "\u{627}\u{644}\u{644}\u{647}\u{635}\u{644}\u{649} \u{627}\u{644}\u{644}\u{647} "
                    + "\u{639}\u{644}\u{64a}\u{647} \u{648}\u{633}\u{644}\u{645}"
            ),
            ("\u{627}1\u{628}", "\u{627}1\u{628}"),  // RFC 3454 section 6: digits have no direction
            ("\u{627}", "\u{627}"),
            ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"),
            ("\u{ac00}\u{11a8}", "\u{ac01}"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"),  // UAX #15
            ("\u{1e0b}\u{323}", "\u{1e0d}\u{307}"),
            ("\u{212b}\u{2126}", "\u{c5}\u{3a9}"),  // singletons
            ("\u{958}", "\u{915}\u{93c}"),  // excluded from composition
            ("\u{33a8}", "m\u{2215}s2"),
            ("\u{1d400}", "A"),
            ("", ""),
        ])
    func prepared(text: String, expected: String) throws {
        // String comparison uses canonical equivalence, so the bytes are compared instead.
        #expect(Array(try Self.prepared(text).utf8) == Array(expected.utf8))
        #expect(Array(try Self.prepared(Self.prepared(text)).utf8) == Array(expected.utf8))
    }

    @Test(
        "A string that cannot be prepared is refused with its reason",
        arguments: [
            // RFC 4013 section 3
            ("\u{627}1", Unpreparable.mixedDirections),
            ("a\u{7}\u{e9}", nil),
            ("\u{7}", nil),
            // One character of each table of section 2.3
            ("\u{85}", .prohibitedCharacter),
            ("\u{2028}", .prohibitedCharacter),
            ("a\u{6dd}", .prohibitedCharacter),
            ("\u{e000}", .prohibitedCharacter),
            ("\u{10fffd}", .prohibitedCharacter),
            ("\u{ffff}", .prohibitedCharacter),
            ("\u{fffd}", .prohibitedCharacter),
            ("\u{2ff0}", .prohibitedCharacter),
            ("\u{340}x\u{200e}", .prohibitedCharacter),
            ("\u{202e}abc", .prohibitedCharacter),
            ("\u{e0001}", .prohibitedCharacter),
            ("\u{221}", .unassignedCharacter),
            ("\u{1f511}", .unassignedCharacter),
            ("\u{378}", .unassignedCharacter),
            ("1\u{627}", .mixedDirections),
            ("\u{627}a\u{628}", .mixedDirections),
            ("\u{5d0}\u{e9}\u{5d0}", .mixedDirections),
            ("\u{ad}", .nothingLeft),
        ])
    func refused(text: String, reason: Unpreparable?) {
        let error = reason.map { HTTPAuthenticatorError.unpreparable(.password, $0) } ?? .controlCharacter(.password)
        #expect(throws: error) { try Self.prepared(text) }
    }

    @Test("A query may contain characters that are unassigned in Unicode 3.2") func query() throws {
        #expect(try Self.prepared("\u{1f511}\u{221}", use: .query) == "\u{1f511}\u{221}")
        #expect(throws: HTTPAuthenticatorError.unpreparable(.password, .prohibitedCharacter)) {
            try Self.prepared("\u{1f511}\u{e000}", use: .query)
        }
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xC3], [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0x61, 0xF4, 0x90, 0x80, 0x80]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: HTTPAuthenticatorError.unpreparable(.password, .notUTF8)) {
            try SASLprep.prepare(Secret(utf8: bytes), part: .password, use: .stored)
        }
    }

    // Hashes of the results of CPython's `unicodedata.ucd_3_2_0` and `stringprep` for every character of Unicode 3.2.

    private static let assigned = (0x80...0x10FFFF).compactMap(Unicode.Scalar.init).filter {
        $0.isAssignedInUnicode32 && $0.properties.generalCategory != .privateUse && !isNoncharacter($0)
    }

    private static func isNoncharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
    }

    private static func digest(_ text: (Unicode.Scalar) -> [Unicode.Scalar]) -> String {
        var hash = SHA256()
        for scalar in assigned {
            var scalars = text(scalar)
            NormalizationKC.normalize(&scalars)
            hash.update(data: scalars.flatMap { Array(UTF8.encode($0) ?? .init()) })
        }
        return DigestAlgorithm.hexadecimal(hash.finalize())
    }

    @Test("Each character is normalized as in Unicode 3.2") func normalization() {
        #expect(Self.digest { [$0] } == "17b824b0003551d6da4bc06afc04ed10f8471d2744f04b5ddd868a4fad537b83")
        // Marks out of order, a mark that composes with some bases, a Hangul vowel and a Hangul trailing consonant.
        let marks: [Unicode.Scalar] = ["\u{301}", "\u{323}", "\u{3099}", "\u{327}", "\u{1161}", "\u{11a8}"]
        #expect(Self.digest { [$0] + marks } == "5eb512143b8e301bbd93fca3bf83da37c82cf58f183df29dec6abfaf108b9fc5")
    }

    @Test(
        "The character tables match stringprep",
        arguments: [
            (StringprepTables.prohibited, "051965263410fa354a0946351632e962d1e2e918a21ddd2e358942ea05069377"),
            (StringprepTables.rightToLeft, "8ff30cc6195593e294d1d42c5bdbe0d1f20b5aa092582f4aed725d5a36071bd8"),
            (StringprepTables.leftToRight, "dd09d78fd4ef8fb401c7227cc3bb026fecb92f498fec988ae554939f8f4e97e3"),
        ])
    func tables(table: String, hash: String) {
        let set = ScalarSet(table)
        #expect(Self.members(set.contains) == hash)
    }

    @Test("Characters added after Unicode 3.2 are unassigned") func unassigned() {
        #expect(
            Self.members { !$0.isAssignedInUnicode32 }
                == "7a289317622c582d4de3f2882e693cda2f02bd09f6d6d055da53986f37421f81")
    }

    private static func members(_ isMember: (Unicode.Scalar) -> Bool) -> String {
        let members = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(isMember)
        let text = members.map { String($0.value, radix: 16) }.joined(separator: ",")
        return DigestAlgorithm.hexadecimal(SHA256.hash(data: Array(text.utf8)))
    }
}
