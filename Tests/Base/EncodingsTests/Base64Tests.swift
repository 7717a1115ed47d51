// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Testing

@Suite struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 section 10 are written and read",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
        let bare = encoded.filter { $0 != "=" }
        #expect(Base64.encode(Array(plain.utf8), as: .url) == bare)
        #expect(Base64.decode(bare, as: .url) == Array(plain.utf8))
    }

    @Test(
        "All byte values are encoded and decoded in every form",
        arguments: [Base64.Form.standard, .url, .xml, .mime, .pem])
    func roundTrip(form: Base64.Form) {
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(Base64.decode(Base64.encode(bytes, as: form), as: form) == bytes)
        }
    }

    @Test(
        "Each form follows its standard",
        arguments: [
            // The columns are the text and the forms that accept it: standard, url, xml, mime, pem.
            ("Zm8=", "s.xmp"),
            ("Zm8", ".u..p"),  // without padding
            ("Zm9=", "...mp"),  // a nonzero bit after the last byte
            ("Zm9", "....p"),  // a nonzero bit, without padding
            ("Zm\n8=", "..xmp"),  // a line break
            ("Z m 8 =", "..xmp"),
            ("Zm8==", "....p"),  // too much padding
            ("Zg=", "....p"),  // too little padding
            ("Zm8=Zm8=", "....p"),  // characters after the padding
            ("Z", "....p"),  // a single character
            ("=", "....p"),
            ("Zm9v=", "....p"),
            ("-_-_", ".u..."),
            ("+/+/", "s.xmp"),
            ("Zm8*", "....."),
            ("Zm\u{e9}8", "....."),
        ])
    func rules(text: String, forms: String) {
        for (form, letter) in zip([Base64.Form.standard, .url, .xml, .mime, .pem], "suxmp") {
            #expect((Base64.decode(text, as: form) != nil) == forms.contains(letter), "\(form): \(text)")
        }
    }

    @Test("A text in parts of any length decodes to the same bytes")
    func pieces() {
        let bytes = (0..<100).map { UInt8($0) }
        let text = Array(Base64.encode(bytes).utf8)
        for size in 1...9 {
            var (decoder, decoded) = (Base64Decoder(.mime), [UInt8]())
            for start in stride(from: 0, to: text.count, by: size) {
                decoded += decoder.decode(text[start..<min(start + size, text.count)]) ?? []
            }
            #expect(decoder.finish().map { decoded + $0 } == bytes)
        }
    }
}

@Suite struct HexadecimalTests {
    @Test("Bytes are written as pairs of digits, and read in either case")
    func digits() {
        let bytes: [UInt8] = [0x00, 0x0F, 0xA5, 0xFF]
        #expect(Hexadecimal.encode(bytes) == "000fa5ff")
        #expect(Hexadecimal.encode(bytes, uppercase: true, separator: ":") == "00:0F:A5:FF")
        #expect(Hexadecimal.decode("000fA5Ff") == bytes)
    }

    @Test("Anything but pairs of digits is refused", arguments: ["0", "0g", "00:0f", " 00", "٠٠", "+1", "0x00"])
    func refused(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }

    @Test("Percent-encoding escapes characters that are not allowed, and is reversible")
    func percent() {
        let text = PercentEncoding.encode("a b/ä~".utf8, allowing: PercentEncoding.isUnreserved)
        #expect(text == "a%20b%2F%C3%A4~")
        #expect(PercentEncoding.decode(text.utf8) == Array("a b/ä~".utf8))
        for cut in ["%", "%2", "%2x", "a%"] { #expect(PercentEncoding.decode(cut.utf8) == nil) }
    }
}

@Suite struct MarkupTests {
    @Test("Markup is escaped according to its position")
    func xml() {
        #expect("<a b=\"1\">&\t\r\n</a>".escapedForXML() == "&lt;a b=\"1\"&gt;&amp;\t&#13;\n&lt;/a&gt;")
        #expect("\"\t\r\n'".escapedForXML(in: .attribute) == "&quot;&#9;&#13;&#10;'")
        #expect("a\u{0}b\u{FFFE}&".escapedForXML() == "a\u{FFFD}b\u{FFFD}&amp;")
        #expect("a\u{B}".firstCharacterOutsideXML == 0xB)
        #expect("ä\u{10FFFF}".firstCharacterOutsideXML == nil)
    }

    @Test("A quotation mark with an accent does not end an HTML attribute")
    func html() {
        #expect("<\"\u{301}'&>".escapedForHTML == "&lt;&quot;\u{301}&#39;&amp;&gt;")
    }
}
