// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

@Suite struct FacetTests {
    @Test("Lengths count characters, bytes or items") func lengths() throws {
        try XMLFacets.check("a\u{301}𝄞", length: 3)
        try XMLFacets.check(XMLBinary([1, 2, 3]), length: 3, minimumLength: 3, maximumLength: 3)
        try XMLFacets.check(XMLHexBinary([1, 2]), maximumLength: 2)
        try XMLFacets.check(XMLList([10, 20]), length: 2)
        #expect(throws: XMLValueError.facet(.length(1), value: "ab")) { try XMLFacets.check("ab", length: 1) }
        #expect(throws: XMLValueError.facet(.minimumLength(3), value: "ab")) {
            try XMLFacets.check("ab", minimumLength: 3)
        }
        #expect(throws: XMLValueError.facet(.maximumLength(1), value: "1 2")) {
            try XMLFacets.check(XMLList([1, 2]), maximumLength: 1)
        }
    }

    @Test("Bounds compare values, not texts") func bounds() throws {
        try XMLFacets.check(9, minimumInclusive: "9", maximumInclusive: "10")
        try XMLFacets.check(9, minimumExclusive: "8", maximumExclusive: "10")
        try XMLFacets.check(9, minimumInclusive: "-99999999999999999999", maximumInclusive: "99999999999999999999")
        let price = try Decimal.read("<v>0.01</v>")
        try XMLFacets.check(price, minimumInclusive: "0.01", maximumInclusive: "0.010")
        #expect(throws: XMLValueError.facet(.minimumExclusive("0.01"), value: "0.01")) {
            try XMLFacets.check(price, minimumExclusive: "0.01")
        }
        #expect(throws: XMLValueError.facet(.maximumInclusive("9"), value: "10")) {
            try XMLFacets.check(10, maximumInclusive: "9")
        }
        #expect(throws: XMLValueError.facet(.maximumExclusive("10"), value: "10")) {
            try XMLFacets.check(10, maximumExclusive: "10")
        }
        #expect(throws: XMLValueError.facet(.minimumInclusive("1"), value: "NaN")) {
            try XMLFacets.check(Double.nan, minimumInclusive: "1")
        }
        let date = try XMLDateTime.read("<v>2024-01-01T00:00:00+02:00</v>")
        try XMLFacets.check(date, maximumInclusive: "2023-12-31T22:00:00Z")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(date, maximumInclusive: "2023-12-31T21:59:59Z") }
        let month = try XMLMonth.read("<v>--05</v>")
        try XMLFacets.check(month, minimumInclusive: "--05", maximumInclusive: "--05")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(month, minimumInclusive: "--06") }
        let day = try XMLMonthDay.read("<v>--02-29</v>")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(day, maximumExclusive: "--02-29") }
        try XMLFacets.check(XMLDay(31), maximumInclusive: "---31")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(XMLDay(31), maximumInclusive: "---30") }
        // A year begins earlier in time zones further east.
        let year = try XMLYear.read("<v>2026+02:00</v>")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(year, minimumInclusive: "2026Z") }
        let duration = try XMLDuration.read("<v>P1M</v>")
        try XMLFacets.check(duration, minimumInclusive: "P28D", maximumInclusive: "P31D")
        #expect(throws: XMLValueError.self) { try XMLFacets.check(duration, maximumInclusive: "P27D") }
    }

    @Test(
        "Digits are counted in the value, not in the text",
        arguments: [
            ("123.450", 5, 2, true), ("123.45", 4, 2, false), ("123.45", 5, 1, false), ("0.001", 3, 3, true),
            ("0.001", 2, 3, false), ("-00012", 2, 0, true), ("1000", 4, 0, true), ("1000", 3, 0, false),
            ("0", 1, 0, true),
        ])
    func digits(text: String, total: Int, fraction: Int, passes: Bool) throws {
        let value = try Decimal.read("<v>\(text)</v>")
        let result: Void? = try? XMLFacets.check(value, totalDigits: total, fractionDigits: fraction)
        #expect((result != nil) == passes)
    }

    @Test("Enumerations and fixed values compare values") func enumerations() throws {
        try XMLFacets.check(1.0, enumeration: ["2", "1.00"])
        try XMLFacets.check(1.0, fixed: " 1 ")
        #expect(throws: XMLValueError.facet(.enumeration(["2"]), value: "1.0")) {
            try XMLFacets.check(1.0, enumeration: ["2"])
        }
        #expect(throws: XMLValueError.facet(.fixed("2"), value: "1.0")) { try XMLFacets.check(1.0, fixed: "2") }
    }

    @Test(
        "Patterns have the syntax of XML Schema, and match the complete text",
        arguments: [
            ("[A-Z]{2}\\d+", "AB12", true), ("[A-Z]{2}\\d+", "xAB12", false), ("[A-Z]{2}\\d+", "AB12\n", false),
            ("a|b", "b", true), ("\\i\\c*", "a-1", true), ("\\i\\c*", "1a", false), ("[a-z-[aeiou]]+", "xyz", true),
            ("[a-z-[aeiou]]+", "xaz", false), ("\\p{Lu}+", "ÄÖ", true), ("\\p{Lu}+", "Äö", false),
            (".{3}", "ä€𝄞", true),
            ("^a$", "a", false), ("", "", true), ("", "x", false), ("(ab)?c{2,3}", "abccc", true),
        ])
    func patterns(pattern: String, text: String, matches: Bool) throws {
        let result: Void? = try? XMLFacets.check(text, patterns: [pattern])
        #expect((result != nil) == matches)
        #expect(throws: Never.self) { try XMLFacets.check(text, patterns: ["x{9}", ".*\\s*"]) }
    }

    @Test("Patterns that do not compile, and texts that are too long, are errors") func badPatterns() {
        for pattern in ["[", "a{2", "(", "*"] {
            #expect(throws: XMLValueError.pattern(pattern)) { try XMLFacets.check("x", patterns: [pattern]) }
        }
        let long = String(repeating: "a", count: 70_000)
        #expect(throws: XMLValueError.longPatternText(maximumByteCount: 65_536)) {
            try XMLFacets.check(long, patterns: ["a*"])
        }
    }

    @Test("A pattern determines which text of a value is written") func lexicalForms() throws {
        func text<Value: XMLSimpleType>(_ value: Value, _ patterns: String...) throws -> String {
            try XMLFacets.text(of: value, patterns: patterns.map { [$0] })
        }
        #expect(try text(Decimal(string: "1.5") ?? 0, "\\d+\\.\\d{2}") == "1.50")
        #expect(try text(Decimal(-7), "-?\\d{3}\\.\\d", ".*") == "-007.0")
        #expect(try text(Decimal(string: "0.25") ?? 0, "\\.\\d+") == ".25")
        #expect(try text(Int32(1_234), "\\d{5}") == "01234")
        #expect(try text(UInt8(7), "\\+7") == "+7")
        #expect(try text(2.0, "[0-9]\\.[0-9]{3}") == "2.000")
        #expect(try text(true, "0|1") == "1")
        #expect(try text(XMLHexBinary([0xAB]), "[0-9a-f]+") == "ab")
        let time = try XMLDateTime(xmlText: "2026-11-24T10:00:00Z", in: XMLScope())
        #expect(try text(time, ".*\\.\\d{3}\\+00:00") == "2026-11-24T10:00:00.000+00:00")
        #expect(try text(time, ".*Z") == "2026-11-24T10:00:00Z")
        let zoned = try XMLDateTime(xmlText: "2026-11-24T10:00:00-05:00", in: XMLScope())
        #expect(try text(zoned, ".*\\.0-05:00") == "2026-11-24T10:00:00.0-05:00")
        #expect(throws: XMLValueError.facet(.patterns(["\\d"]), value: "10")) { try text(Int(10), "\\d") }
        #expect(throws: XMLValueError.facet(.patterns(["[13]"]), value: "2")) { try text(Int(2), "\\d", "[13]") }
    }

    @Test("A pattern can be used by many tasks at once") func sharing() async {
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { number in
                        let text = "AB\(task)\(number)"
                        let wrong = "A\(task)\(number)"
                        return (try? XMLFacets.check(text, patterns: ["[A-Z]{2}[0-9]{1,9}", "x\(number % 10)"])) != nil
                            && (try? XMLFacets.check(wrong, patterns: ["[A-Z]{2}[0-9]{1,9}"])) == nil
                    }
                }
            }
            for await result in group { #expect(result) }
        }
    }
}
