// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

@Suite struct SimpleTypeTests {
    /// Reads a text, and returns the text of the value; `nil` if it is refused.
    private func rewrite<Value: XMLSimpleType>(_ text: String, as type: Value.Type) -> String? {
        guard let value = try? Value.read("<v>\(text)</v>") else { return nil }
        var scope = XMLScope()
        return try? value.xmlText(in: &scope)
    }

    @Test(
        "Numbers are read according to the standard, and written in canonical form",
        arguments: [
            (Int.self, "12", "12"), (Int.self, " +007\n", "7"), (Int.self, "-0", "0"), (Int.self, "1.0", nil),
            (Int.self, "", nil), (Int.self, "1 2", nil), (Int.self, "0x10", nil), (Int.self, "١", nil),
            (Int.self, "9223372036854775808", nil), (Int8.self, "-128", "-128"), (Int8.self, "128", nil),
            (UInt8.self, "255", "255"), (UInt8.self, "-1", nil),
            (UInt64.self, "18446744073709551615", "18446744073709551615"),
            (Bool.self, "1", "true"), (Bool.self, " false ", "false"), (Bool.self, "TRUE", nil), (Bool.self, "", nil),
            (Double.self, "1e3", "1000.0"), (Double.self, "1.5E-7", "1.5e-07"), (Double.self, ".5", "0.5"),
            (Double.self, "INF", "INF"), (Double.self, "-INF", "-INF"), (Double.self, "NaN", "NaN"),
            (Double.self, "inf", nil), (Double.self, "nan", nil), (Double.self, "0x1p3", nil),
            (Double.self, "1,5", nil),
            (Double.self, "1e", nil), (Double.self, "", nil), (Double.self, "-0", "-0.0"),
            (Double.self, "0.1", "0.1"), (Float.self, "0.1", "0.1"), (Float.self, "16777217", "16777216.0"),
            (Decimal.self, "12.50", "12.5"), (Decimal.self, "-0.000", "0"), (Decimal.self, "+.5", "0.5"),
            (Decimal.self, "5.", "5"), (Decimal.self, "1e3", nil), (Decimal.self, ".", nil), (Decimal.self, "", nil),
            (Decimal.self, "1.2.3", nil), (Decimal.self, "0.1", "0.1"), (Decimal.self, "NaN", nil),
            (Decimal.self, "000123456789012345678901234567890.12345678", "123456789012345678901234567890.12345678"),
            (Decimal.self, "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            (Decimal.self, "100000000000000000000000000000000000000", "100000000000000000000000000000000000000"),
            (Decimal.self, "0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
            (Decimal.self, "123456789012345678901234567890123456789", nil),
            (Decimal.self, "-12345678901234567890.000000000000000001", "-12345678901234567890.000000000000000001"),
        ] as [(any XMLSimpleType.Type, String, String?)])
    func numbers(type: any XMLSimpleType.Type, text: String, written: String?) {
        #expect(rewrite(text, as: type) == written)
    }

    @Test(
        "Bytes are read from Base64 and hexadecimal digits",
        arguments: [
            (XMLBinary.self, "", ""), (XMLBinary.self, "AQ==", "AQ=="), (XMLBinary.self, " AQ I\nD ", "AQID"),
            (XMLBinary.self, "AQI=", "AQI="), (XMLBinary.self, "A", nil), (XMLBinary.self, "AQ", nil),
            (XMLBinary.self, "AQ=", nil), (XMLBinary.self, "AQ===", nil), (XMLBinary.self, "AR==", nil),
            (XMLBinary.self, "AQ==AQ==", nil), (XMLBinary.self, "A-_/", nil), (XMLBinary.self, "=", nil),
            (XMLBinary.self, "AQIDBA= =", "AQIDBA=="), (XMLBinary.self, "++//", "++//"),
            (XMLHexBinary.self, "0aFf", "0AFF"), (XMLHexBinary.self, "", ""), (XMLHexBinary.self, "0", nil),
            (XMLHexBinary.self, "0g", nil), (XMLHexBinary.self, "0a 0b", nil),
        ] as [(any XMLSimpleType.Type, String, String?)])
    func binary(type: any XMLSimpleType.Type, text: String, written: String?) {
        #expect(rewrite(text, as: type) == written)
    }

    @Test(
        "Dates and times are read with their time zones, and written in canonical form",
        arguments: [
            (XMLDateTime.self, "2026-11-24T13:20:00", "2026-11-24T13:20:00"),
            (XMLDateTime.self, "2026-11-24T13:20:00.500Z", "2026-11-24T13:20:00.5Z"),
            (XMLDateTime.self, "2026-11-24T13:20:00.123456789-05:30", "2026-11-24T13:20:00.123456789-05:30"),
            (XMLDateTime.self, "2026-11-24T13:20:00.1234567890+00:00", "2026-11-24T13:20:00.123456789Z"),
            (XMLDateTime.self, "2026-11-24T13:20:00.1234567891", nil), (XMLDateTime.self, "2026-11-24T13:20:00.Z", nil),
            (XMLDateTime.self, "2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
            (XMLDateTime.self, "1999-12-31T24:00:00.000", "2000-01-01T00:00:00"),
            (XMLDateTime.self, "2024-02-29T24:00:01Z", nil), (XMLDateTime.self, "2023-02-29T00:00:00", nil),
            (XMLDateTime.self, "1900-02-29T00:00:00", nil),
            (XMLDateTime.self, "2000-02-29T00:00:00", "2000-02-29T00:00:00"),
            (XMLDateTime.self, "2024-04-31T00:00:00", nil), (XMLDateTime.self, "2024-13-01T00:00:00", nil),
            (XMLDateTime.self, "2024-01-01T25:00:00", nil), (XMLDateTime.self, "2024-01-01T23:59:60", nil),
            (XMLDateTime.self, "2024-01-01 23:59:00", nil), (XMLDateTime.self, "2024-01-01T23:59", nil),
            (XMLDateTime.self, "24-01-01T00:00:00", nil), (XMLDateTime.self, "02024-01-01T00:00:00", nil),
            (XMLDateTime.self, "12024-01-01T00:00:00Z", "12024-01-01T00:00:00Z"),
            (XMLDateTime.self, "-0044-03-15T00:00:00", "-0044-03-15T00:00:00"),
            (XMLDateTime.self, "99999999999-01-01T00:00:00", nil),
            (XMLDateTime.self, "9999999999999999999999-01-01T00:00:00", nil),
            (XMLDateTime.self, "2024-01-01T00:00:00+14:00", "2024-01-01T00:00:00+14:00"),
            (XMLDateTime.self, "2024-01-01T00:00:00+14:01", nil), (XMLDateTime.self, "2024-01-01T00:00:00-15:00", nil),
            (XMLDateTime.self, "2024-01-01T00:00:00+01", nil), (XMLDateTime.self, "2024-01-01T00:00:00Zx", nil),
            (XMLDate.self, "2024-02-29+02:00", "2024-02-29+02:00"), (XMLDate.self, "2023-02-29", nil),
            (XMLDate.self, "2024-2-9", nil), (XMLDate.self, "2024-02-29T00:00:00", nil),
            (XMLTime.self, "13:20:00.25Z", "13:20:00.25Z"), (XMLTime.self, "24:00:00", "00:00:00"),
            (XMLTime.self, "13:60:00", nil), (XMLTime.self, "13:20", nil),
            (XMLYear.self, "2024Z", "2024Z"), (XMLYear.self, "-0001", "-0001"), (XMLYear.self, "24", nil),
            (XMLYearMonth.self, "2024-05", "2024-05"), (XMLYearMonth.self, "2024-5", nil),
            (XMLMonth.self, "--05Z", "--05Z"), (XMLMonth.self, "--05--", "--05"), (XMLMonth.self, "--13", nil),
            (XMLMonthDay.self, "--02-29", "--02-29"), (XMLMonthDay.self, "--02-30", nil),
            (XMLDay.self, "---31+01:00", "---31+01:00"), (XMLDay.self, "---32", nil), (XMLDay.self, "--31", nil),
            (XMLDuration.self, "P1Y2M3DT4H5M6.7S", "P1Y2M3DT4H5M6.7S"), (XMLDuration.self, "PT0S", "PT0S"),
            (XMLDuration.self, "P14M", "P1Y2M"), (XMLDuration.self, "PT90M", "PT1H30M"),
            (XMLDuration.self, "-P1D", "-P1D"), (XMLDuration.self, "PT36H", "P1DT12H"),
            (XMLDuration.self, "P0Y", "PT0S"),
            (XMLDuration.self, "-PT0S", "PT0S"), (XMLDuration.self, "P", nil), (XMLDuration.self, "P1DT", nil),
            (XMLDuration.self, "P1S", nil), (XMLDuration.self, "PT1.5M", nil), (XMLDuration.self, "P1M1Y", nil),
            (XMLDuration.self, "P1Y1Y", nil), (XMLDuration.self, "1D", nil), (XMLDuration.self, "P-1D", nil),
            (XMLDuration.self, "PT1.S", nil), (XMLDuration.self, "PT.5S", nil), (XMLDuration.self, "PT1H T1M", nil),
            (XMLDuration.self, "P999999999999999999Y", nil), (XMLDuration.self, "PT0.000000001S", "PT0.000000001S"),
        ] as [(any XMLSimpleType.Type, String, String?)])
    func dates(type: any XMLSimpleType.Type, text: String, written: String?) {
        #expect(rewrite(text, as: type) == written)
    }

    @Test("Values out of range and invalid values have different errors") func doesNotFit() {
        let place = XMLPlace(path: "v", line: 1)
        #expect(throws: XMLValueError.doesNotFit(text: "99999999999999999999", type: "integer", at: place)) {
            try Int.read("<v>99999999999999999999</v>")
        }
        let digits = String(repeating: "7", count: 39)
        #expect(throws: XMLValueError.doesNotFit(text: digits, type: "decimal", at: place)) {
            try Decimal.read("<v>\(digits)</v>")
        }
    }

    @Test("Strings keep their white space, and lists are split at it") func whiteSpace() throws {
        #expect(try String.read("<v> a\n b </v>") == " a\n b ")
        #expect(try XMLList<Int>.read("<v> 1\n2\t3 </v>") == [1, 2, 3])
        #expect(try XMLList<Int>.read("<v/>") == [])
        #expect(try XMLList([1, 2]).text() == "<v>1 2</v>")
        for item in ["a b", "", "\n"] { #expect(throws: XMLValueError.self) { try XMLList([item]).text() } }
        #expect(XMLWhiteSpace.replace.normalize("a\tb\r\nc") == "a b  c")
        #expect(XMLWhiteSpace.collapse.normalize("  ä \t b\n") == "ä b")
    }

    @Test(
        "Doubles are equal when read again",
        arguments: [0.1, 1 / 3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e21, -123_456.789])
    func doubles(number: Double) throws {
        #expect(try Double.read(number.text()) == number)
        #expect(try Float.read(Float(number).text()) == Float(number))
    }

    @Test("Decimals of every size are written without an exponent") func decimals() throws {
        for exponent in [-127, -38, -1, 0, 1, 37, 90, 127] {
            let number = Decimal(sign: .plus, exponent: exponent, significand: 12)
            let text = try number.text()
            #expect(!text.contains("e") && !text.contains("E"))
            #expect(try Decimal.read(text) == number)
        }
        #expect(throws: XMLValueError.self) { try Decimal.nan.text() }
    }

    @Test("Qualified names are resolved with the declarations in scope") func names() throws {
        #expect(try XMLName.read("<v xmlns:p='urn:p'>p:a</v>") == XMLName("a", in: "urn:p"))
        #expect(try XMLName.read("<v xmlns='urn:d'>a</v>") == XMLName("a", in: "urn:d"))
        #expect(try XMLName.read("<v>xml:a</v>") == XMLName("a", in: XMLNamespace.xml))
        #expect(throws: XMLValueError.undeclaredPrefix("q", at: XMLPlace(path: "v", line: 1))) {
            try XMLName.read("<v>q:a</v>")
        }
        for text in ["", "a:b:c", ":a", "a:", "1"] {
            #expect(throws: XMLValueError.self) { try XMLName.read("<v>\(text)</v>") }
        }
    }
}
