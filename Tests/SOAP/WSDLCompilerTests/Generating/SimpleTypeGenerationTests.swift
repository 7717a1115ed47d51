// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

@Suite struct SimpleTypeGenerationTests {
    @Test(
        "Each built-in type has its Swift type",
        arguments: [
            ("string", "String"), ("token", "String"), ("anyURI", "String"), ("boolean", "Bool"),
            ("decimal", "Decimal"),
            ("float", "Float"), ("double", "Double"), ("integer", "Int"), ("positiveInteger", "Int"), ("long", "Int64"),
            ("int", "Int32"), ("short", "Int16"), ("byte", "Int8"), ("unsignedLong", "UInt64"),
            ("unsignedInt", "UInt32"),
            ("unsignedShort", "UInt16"), ("unsignedByte", "UInt8"), ("dateTime", "XMLDateTime"), ("date", "XMLDate"),
            ("time", "XMLTime"), ("gYear", "XMLYear"), ("gYearMonth", "XMLYearMonth"), ("gMonth", "XMLMonth"),
            ("gMonthDay", "XMLMonthDay"), ("gDay", "XMLDay"), ("duration", "XMLDuration"),
            ("base64Binary", "XMLBinary"),
            ("hexBinary", "XMLHexBinary"), ("QName", "XMLName"), ("anyType", "XMLAnyValue"),
            ("anySimpleType", "String"),
            ("NMTOKENS", "XMLList<String>"), ("IDREF", "String"), ("NOTATION", "String"),
        ])
    func builtIn(type: String, expected: String) async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="T"><xs:sequence><xs:element name="a" type="xs:\(type)"/></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var a: \(expected)"))
    }

    @Test("A restriction of an integer type keeps the bound that Int lacks") func bounds() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Count"><xs:restriction base="xs:positiveInteger"><xs:maxInclusive value="9"/>
                </xs:restriction></xs:simpleType>
                """)
        #expect(swift.has(#"try XMLFacets.check(value, minimumInclusive: "1", maximumInclusive: "9")"#))
    }

    @Test("An enumeration has a case for each value, whatever the values are")
    func enumeration() async throws {
        let values = [
            "CHF", "", "default", "none", "a-b", "a_b", "aB", "10", "self", "init", "rawValue", "whiteSpace", "CHF",
        ]
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Currency"><xs:restriction base="xs:string">
                \(values.map { "<xs:enumeration value=\"\($0)\"/>" }.joined())
                </xs:restriction></xs:simpleType>
                """)
        #expect(
            swift.has(
                """
                public enum Currency: String, XMLSimpleType, CaseIterable {
                case chf = "CHF"
                case empty = ""
                case `default`
                case noneValue = "none"
                case aB = "a-b"
                case aBValue = "a_b"
                case aBValue2 = "aB"
                case value10 = "10"
                case selfValue = "self"
                case initValue = "init"
                case rawValueValue = "rawValue"
                case whiteSpaceValue = "whiteSpace"
                """))
    }

    @Test("A type with facets checks them, those of its bases too")
    func facets() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Base"><xs:restriction base="xs:token">
                  <xs:maxLength value="9"/><xs:pattern value="[A-Z]+"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="Code"><xs:restriction base="t:Base">
                  <xs:minLength value="2"/><xs:pattern value="A.*"/><xs:pattern value="\\d&quot;"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="Percent"><xs:restriction base="xs:decimal">
                  <xs:minInclusive value="0"/><xs:maxInclusive value="100.0"/><xs:fractionDigits value="2"/></xs:restriction></xs:simpleType>
                """)
        #expect(
            swift.has(
                #"""
                private static func check(_ value: String) throws(XMLValueError) {
                try XMLFacets.check(value, minimumLength: 2, maximumLength: 9, patterns: ["A.*", "\\d\""])
                try XMLFacets.check(value, patterns: ["[A-Z]+"])
                }
                """#))
        #expect(
            swift.has(
                #"try XMLFacets.check(value, minimumInclusive: "0", maximumInclusive: "100.0", fractionDigits: 2)"#))
        #expect(swift.has("public init(_ value: Decimal) throws(XMLValueError) {"))
    }

    @Test("Patterns determine which text of a value is written")
    func decidingPatterns() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Price"><xs:restriction base="xs:decimal">
                  <xs:pattern value="[0-9]+[.][0-9]{2}"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="Year"><xs:restriction base="t:Price"><xs:pattern value="2.*"/></xs:restriction></xs:simpleType>
                """)
        #expect(swift.has(#"try XMLFacets.text(of: value, patterns: [["[0-9]+[.][0-9]{2}"]])"#))
        #expect(swift.has(#"try XMLFacets.text(of: value, patterns: [["2.*"], ["[0-9]+[.][0-9]{2}"]])"#))
    }

    @Test("A type without facets is an alias")
    func alias() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Name"><xs:restriction base="xs:string"/></xs:simpleType>
                <xs:simpleType name="Sizes"><xs:list itemType="xs:int"/></xs:simpleType>
                <xs:simpleType name="Colors"><xs:list><xs:simpleType><xs:restriction base="xs:string">
                  <xs:enumeration value="red"/></xs:restriction></xs:simpleType></xs:list></xs:simpleType>
                """)
        #expect(swift.has("public typealias Name = String"))
        #expect(swift.has("public typealias Sizes = XMLList<Int32>"))
        #expect(swift.has("public typealias Colors = XMLList<ColorsItem>"))
        #expect(swift.has("public enum ColorsItem: String, XMLSimpleType, CaseIterable {"))
    }

    @Test("A union has a case for each member type, and reads the first that matches")
    func union() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Size"><xs:union memberTypes="xs:int xs:string xs:date"/></xs:simpleType>
                """)
        #expect(
            swift.has(
                """
                if let value = try? Int32(xmlText: text, in: scope.checked) {
                self = .int(value)
                return
                }
                self = .string(text)
                }
                """))
        #expect(swift.has("case date(XMLDate)"))
    }

    /// The generated code must not contain a `try` without a throwing call, because the compiler warns of it.
    @Test("A union of aliases writes its values as the aliased types")
    func unionOfAliases() async throws {
        let swift = try await Generated(
            schema: """
                <xs:simpleType name="Number"><xs:restriction base="xs:int"/></xs:simpleType>
                <xs:simpleType name="Label"><xs:restriction base="xs:string"/></xs:simpleType>
                <xs:simpleType name="Title"><xs:restriction base="t:Label"/></xs:simpleType>
                <xs:simpleType name="Size"><xs:union memberTypes="t:Number t:Title"/></xs:simpleType>
                """)
        #expect(
            swift.has(
                """
                if let value = try? Number(xmlText: text, in: scope.checked) {
                self = .number(value)
                return
                }
                self = .title(text)
                }
                """))
        #expect(swift.has("case .number(let value): value.xmlText(in: &scope)"))
        #expect(swift.has("case .title(let value): value"))
    }
}
