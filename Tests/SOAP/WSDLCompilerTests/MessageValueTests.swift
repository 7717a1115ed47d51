// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
import Testing
import WSDLCompiler
import XMLDocuments
import XMLValues

/// An operation whose input is the element `a:In`, with the given content of its type.
private struct Message {
    let coder: DynamicCoder
    let message: WSDLCompiler.Operation.Message

    /// Creates an operation from the element's type, complex or simple, and from further components of the schema.
    init(_ type: String, _ others: String = "") async throws {
        let types = Recipe.schema("<xs:element name='In'>\(type)</xs:element><xs:element name='Out'/>\(others)")
        let description = try await Recipe.read(Recipe.description(types: types))
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        (coder, message) = (DynamicCoder(description.schema), operation.input)
    }

    func write(_ json: String) throws -> String {
        String(decoding: try coder.body(forJSON: Array(json.utf8), of: message), as: UTF8.self)
    }

    /// Returns the JSON of an element `In` with the given content and attributes.
    func read(_ content: String, _ attributes: String = "") throws -> JSONValue {
        let body = """
            <Body xmlns:p="urn:p" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><In xmlns="urn:a" \(attributes)>\(content)</In></Body>
            """
        return try JSONValue(parsing: Array(try coder.json(fromBody: Array(body.utf8), of: message).utf8))
    }
}

private func code(_ body: () throws -> some Any) -> String? {
    do {
        _ = try body()
        return nil
    } catch { return (error as? WSDLCompilerError)?.code ?? "\(error)" }
}

private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

@Suite struct MessageValueTests {
    /// Valid and invalid texts of each built-in type (XML Schema Part 2 sections 3.2 and 3.3).
    static let types: [(type: String, valid: [String], invalid: [String])] = [
        ("boolean", ["true", "false", "1", "0", " true "], ["TRUE", "yes", "2", ""]),
        (
            "decimal", ["1", "-1.50", "+.5", "5.", "12345678901234567890123456789012345678901.5"],
            ["1e3", "1,5", "INF", "", "-"]
        ),
        ("integer", ["-1", "+0", "007", "123456789012345678901234567890"], ["1.0", "1e3", "", "x"]),
        ("nonPositiveInteger", ["0", "-9"], ["1"]), ("negativeInteger", ["-1"], ["0"]),
        ("nonNegativeInteger", ["0", "99999999999999999999"], ["-1"]), ("positiveInteger", ["1"], ["0", "-1"]),
        ("long", ["9223372036854775807", "-9223372036854775808"], ["9223372036854775808"]),
        ("int", ["2147483647", "-2147483648"], ["2147483648", "-2147483649"]), ("short", ["-32768"], ["32768"]),
        ("byte", ["127", "-128"], ["300", "128", "-129"]),
        ("unsignedLong", ["18446744073709551615"], ["-1", "18446744073709551616"]),
        ("unsignedInt", ["4294967295"], ["4294967296"]), ("unsignedShort", ["65535"], ["65536"]),
        ("unsignedByte", ["255"], ["256", "-1"]),
        ("float", ["1e3", "-.5E-2", "INF", "-INF", "NaN"], ["Infinity", "nan", "0x1p3", "", "1e"]),
        ("double", ["1.5", "INF"], ["inf", "1,5"]),
        (
            "date", ["2024-02-29", "2024-12-31Z", "2024-12-31+14:00", "-0044-03-15", "12024-01-01"],
            [
                "2024-13-01", "2023-02-29", "2024-00-10", "2024-1-1", "24-01-01", "2024-12-31+14:01",
                "2024-12-31T00:00:00", "012024-01-01",
            ]
        ),
        (
            "dateTime", ["2024-02-29T24:00:00", "2024-12-31T23:59:59.999999999-05:30"],
            [
                "2024-12-31", "2024-12-31T24:00:01", "2024-12-31T25:00:00", "2024-12-31 10:00:00",
                "2024-12-31T10:60:00", "2024-12-31T10:00:60", "2024-12-31T10:00",
            ]
        ),
        ("time", ["24:00:00", "13:20:00.5Z"], ["24:00:01", "13:20", "1:20:00", "13:20:00.Z"]),
        ("duration", ["P1Y2M3DT4H5M6.7S", "-P1D", "PT0S"], ["P", "P1DT", "1D", "P1M1Y", "P-1D", "PT1.5H", "P1S"]),
        ("gYearMonth", ["2024-12"], ["2024-13", "2024"]), ("gYear", ["2024", "-0001Z"], ["24", "02024"]),
        ("gMonthDay", ["--02-29"], ["--02-30", "02-29"]), ("gDay", ["---31"], ["---32", "--31"]),
        ("gMonth", ["--12"], ["--13", "12"]), ("hexBinary", ["0aFF", ""], ["0", "0g", "0x00"]),
        ("base64Binary", ["aGVsbG8=", "aGVs bG8=", ""], ["aGVsbG8", "a===", "aGV$", "aGVsbG9="]),
        ("anyURI", ["http://example.com/?q=1#f", "", "a b"], []),
        ("language", ["en", "de-CH-1996"], ["e_n", "en-", "toolonglang", "1a"]),
        ("NCName", ["_a.b-1", "é"], ["a:b", "1a", "", "a b"]), ("ID", ["a"], ["a b"]), ("IDREF", ["a"], ["a:b"]),
        ("Name", ["a:b", ":a"], ["1a", "a b"]), ("NMTOKEN", ["1a", ":"], ["a b", ""]), ("NMTOKENS", ["1 2"], ["1 $"]),
        ("normalizedString", ["a  b"], []), ("token", [" a  b "], []), ("string", [" a\u{9}b "], []),
    ]

    @Test(
        "Texts are checked against their type in requests and responses, and refused with the position",
        arguments: types)
    func builtIn(type: String, valid: [String], invalid: [String]) async throws {
        let message = try await Message(
            "<xs:complexType><xs:sequence><xs:element name='v' type='xs:\(type)'/></xs:sequence></xs:complexType>")
        for text in valid {
            let value = JSONValue.object([.init("v", .string(text))])
            #expect(code { try message.write(value.text) } == nil, "\(text) is written")
            #expect(code { try message.read("<v>\(text)</v>") } == nil, "\(text) is read")
        }
        for text in invalid {
            let value = JSONValue.object([.init("v", .string(text))])
            for error in [code { try message.write(value.text) }, code { try message.read("<v>\(text)</v>") }] {
                #expect(["value.invalid", "value.facet"].contains(error), "\(text): \(error ?? "accepted")")
            }
        }
    }

    @Test("An error names the member, and the position of one of several elements") func place() async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence><xs:element name='day' maxOccurs='9'><xs:complexType><xs:sequence>
            <xs:element name='date' type='xs:date'/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType>
            """)
        let error = WSDLCompilerError.value(
            path: "$.day[1].date", .invalid(.invalid(text: "2024-13-01", type: "date")))
        #expect(error.explanation.message == "\"2024-13-01\" is not a value of date, in $.day[1].date.")
        #expect(throws: error) { try message.write(#"{"day": [{"date": "2024-12-01"}, {"date": "2024-13-01"}]}"#) }
        #expect(throws: error) {
            try message.read("<day><date>2024-12-01</date></day><day><date>2024-13-01</date></day>")
        }
    }

    /// Restrictions of a base type, with valid and invalid values.
    static let restrictions: [(type: String, valid: [String], invalid: [String])] = [
        ("<xs:restriction base='xs:string'><xs:length value='2'/></xs:restriction>", ["ab", "😀é"], ["a", "abc"]),
        ("<xs:restriction base='xs:hexBinary'><xs:maxLength value='1'/></xs:restriction>", ["0A"], ["0A0B"]),
        ("<xs:restriction base='xs:base64Binary'><xs:minLength value='2'/></xs:restriction>", ["aGk="], ["YQ=="]),
        (
            "<xs:restriction base='xs:string'><xs:pattern value='[A-Z]{2}\\d+'/></xs:restriction>", ["AB1"],
            ["ab1", "AB1x"]
        ),
        (
            "<xs:restriction base='xs:string'><xs:enumeration value='a'/><xs:enumeration value='b c'/></xs:restriction>",
            ["b c"], ["A", " a"]
        ),
        ("<xs:restriction base='xs:decimal'><xs:enumeration value='1.50'/></xs:restriction>", ["1.5"], ["1.51"]),
        (
            "<xs:restriction base='xs:decimal'><xs:totalDigits value='4'/><xs:fractionDigits value='2'/></xs:restriction>",
            ["12.34", "0012.3400"], ["123.45", "1.234", "12345"]
        ),
        (
            "<xs:restriction base='xs:int'><xs:minInclusive value='1'/><xs:maxExclusive value='10'/></xs:restriction>",
            ["1", "9"], ["0", "10"]
        ),
        (
            "<xs:restriction base='xs:integer'><xs:maxInclusive value='100000000000000000000'/></xs:restriction>",
            ["100000000000000000000"], ["100000000000000000001"]
        ),
        (
            "<xs:restriction base='xs:date'><xs:minExclusive value='2024-01-01'/></xs:restriction>", ["2024-01-02"],
            ["2024-01-01"]
        ),
        ("<xs:restriction base='xs:duration'><xs:maxInclusive value='P1D'/></xs:restriction>", ["PT24H"], ["PT25H"]),
        ("<xs:restriction base='xs:token'><xs:length value='3'/></xs:restriction>", [" a  b "], ["a b c"]),
        ("<xs:list itemType='xs:byte'/>", ["1 2", ""], ["1 300", "1,2"]),
        (
            "<xs:restriction><xs:simpleType><xs:list itemType='xs:int'/></xs:simpleType><xs:maxLength value='2'/></xs:restriction>",
            ["1 2"], ["1 2 3"]
        ),
        ("<xs:union memberTypes='xs:int xs:boolean'/>", ["1", "true"], ["maybe", ""]),
        (
            "<xs:union memberTypes='xs:date'><xs:simpleType><xs:restriction base='xs:string'><xs:enumeration value='never'/></xs:restriction></xs:simpleType></xs:union>",
            ["2024-01-01", "never"], ["always"]
        ),
    ]

    @Test("The facets of a type are checked in requests and responses", arguments: restrictions)
    func facets(type: String, valid: [String], invalid: [String]) async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence><xs:element name='v'><xs:simpleType>\(type)</xs:simpleType></xs:element></xs:sequence>
            <xs:attribute name='w'><xs:simpleType>\(type)</xs:simpleType></xs:attribute></xs:complexType>
            """)
        let other = JSONValue.string(try #require(valid.first))
        for (texts, isValid) in [(valid, true), (invalid, false)] {
            for text in texts {
                let element = JSONValue.object([.init("v", .string(text))])
                let attribute = JSONValue.object([.init("@w", .string(text)), .init("v", other)])
                let errors = [
                    code { try message.write(element.text) }, code { try message.write(attribute.text) },
                    code { try message.read("<v>\(text)</v>") },
                    code { try message.read("<v>\(valid[0])</v>", "w='\(text)'") },
                ]
                #expect(errors.allSatisfy { ($0 == nil) == isValid }, "\(text): \(errors)")
            }
        }
    }

    @Test("A number is written in the form of the pattern, and an integer without a zero fraction")
    func numbers() async throws {
        let price = try await Message(
            "<xs:simpleType><xs:restriction base='xs:decimal'><xs:pattern value='\\d+\\.\\d\\d'/></xs:restriction></xs:simpleType>"
        )
        #expect(try price.write("1.5").hasSuffix(">1.50</ns1:In>"))
        let count = try await Message("<xs:simpleType><xs:restriction base='xs:int'/></xs:simpleType>")
        #expect(try count.write("2.0").hasSuffix(">2</ns1:In>"))
        #expect(code { try count.write("2.5") } == "value.invalid")
    }

    @Test(
        "A character that XML cannot represent is an error that names its member",
        arguments: [
            (#"{"v": "a\u000b"}"#, "$.v"), (#"{"v": "\ufffe"}"#, "$.v"), (#"{"@w": "\u0000", "v": ""}"#, "$.@w"),
            (#"{"v": "", "{urn:o}e": {"f": ["", "\u001f"]}}"#, "$.{urn:o}e.f[1]"),
            (##"{"v": "", "{urn:o}e": {"#text": "\u0001"}}"##, "$.{urn:o}e.#text"),
        ])
    func characters(json: String, path: String) async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence><xs:element name='v' type='xs:string'/><xs:any minOccurs='0' namespace='##other'/>
            </xs:sequence><xs:attribute name='w' type='xs:string'/></xs:complexType>
            """)
        let error = #expect(throws: WSDLCompilerError.self) { try message.write(json) }
        guard case .value(path, .invalid(.character))? = error else {
            Issue.record("\(error.map(String.init(describing:)) ?? "written")")
            return
        }
    }

    @Test("White space in a value is normalized according to its type") func whiteSpace() async throws {
        for (type, text, value) in [
            ("string", " a\t b ", " a\t b "), ("normalizedString", " a\t b ", " a  b "), ("token", " a\t b ", "a b"),
            ("date", " 2024-01-01\n", "2024-01-01"), ("base64Binary", " aGVs\n bG8= ", "aGVsbG8="),
        ] {
            let message = try await Message("<xs:simpleType><xs:restriction base='xs:\(type)'/></xs:simpleType>")
            #expect(try message.read(text) == .string(value))
        }
    }

    @Test(
        "Only the type's attributes are accepted, with their fixed values",
        arguments: [
            ("r='1'", nil), ("", "value.missing-attribute"), ("r='x'", "value.invalid"), ("r='1' f='2'", nil),
            ("r='1' f='3'", "value.facet"), ("r='1' u='1'", "value.unexpected-attribute"),
            ("r='1' p:u='1'", "value.unexpected-attribute"), ("r='1' xsi:schemaLocation='a b'", nil),
        ] as [(String, String?)])
    func attributes(attributes: String, expected: String?) async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:attribute name='r' type='xs:int' use='required'/><xs:attribute name='f' type='xs:int' fixed='2'/>
            <xs:attribute name='q' type='xs:int' use='prohibited'/></xs:complexType>
            """)
        #expect(code { try message.read("", attributes) } == expected)
        #expect(code { try message.write(#"{"@r": 1, "@f": 3}"#) } == "value.facet")
        #expect(code { try message.write(#"{"@r": 1, "@q": 3}"#) } == "json.unknown")
        #expect(code { try message.write(#"{"@r": 1, "@f": 2.0}"#) } == nil)
    }

    @Test(
        "A response with wrong order, names, namespaces or types is an error",
        arguments: [
            ("<a>1</a><b>2</b>", nil), ("<b>2</b><a>1</a>", "value.missing-element"),
            ("<a>1</a>", "value.missing-element"), ("<a>1</a><b>2</b><c/>", "value.unexpected-element"),
            ("<a>1</a><b>2</b><b>3</b>", nil), ("<a>1</a><b>2</b><b>3</b><b>4</b>", "value.unexpected-element"),
            ("<p:a>1</p:a><b>2</b>", "value.missing-element"), ("<a xmlns=''>1</a><b>2</b>", "value.missing-element"),
            ("<a>1</a><b>x</b>", "value.invalid"), ("<a>1</a>text<b>2</b>", "value.unexpected-text"),
            ("<a>1<c/></a><b>2</b>", "value.unexpected-element"),
            ("<a>1</a><b xsi:nil='true'/>", "value.unexpected-null"),
            ("<a>1</a><b>2</b><n xsi:nil='true'/>", nil),
            ("<a>1</a><b>2</b><n xsi:nil='1'>3</n>", "value.content-in-null"),
            ("<a xsi:type='xs:byte'>300</a><b>2</b>", "value.facet"),
            ("<a xsi:type='a:T'>1</a><b>2</b>", "value.unknown-type"),
            ("<a>1</a><b>2</b><x>1</x>", nil), ("<a>1</a><b>2</b><y>1</y>", nil),
            ("<a>1</a><b>2</b><x>1</x><y>1</y>", "value.unexpected-element"),
            ("<a>1</a><b>2</b><p:e/>", nil), ("<a>1</a><b>2</b><p:e/><p:e/>", "value.unexpected-element"),
            ("<a>1</a><b>2</b><t xsi:type='a:D'><d/></t>", nil), ("<a>1</a><b>2</b><t><d/></t>", "value.unknown-type"),
            ("<a>1</a><b>2</b><t xsi:type='a:T'/>", "value.unknown-type"), ("<a>1</a><b>2</b><f>7</f>", nil),
            ("<a>1</a><b>2</b><f/>", nil),
            ("<a>1</a><b>2</b><f>8</f>", "value.facet"), ("<a>1</a><b>2</b><m>1</m>", nil),
            ("<a>1</a><b>2</b><m>x</m>", "value.invalid"),
            ("<a>1</a><b>2</b><h>1</h>", "value.unexpected-element"),
        ] as [(String, String?)])
    func structure(content: String, expected: String?) async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int' maxOccurs='2'/>
            <xs:element name='n' type='xs:int' nillable='true' minOccurs='0'/>
            <xs:choice minOccurs='0'><xs:element name='x' type='xs:int'/><xs:element name='y' type='xs:int'/></xs:choice>
            <xs:element name='t' type='a:B' minOccurs='0'/><xs:element name='f' type='xs:int' fixed='7' minOccurs='0'/>
            <xs:element ref='a:h' minOccurs='0'/><xs:any namespace='##other' processContents='lax' minOccurs='0'/>
            </xs:sequence></xs:complexType>
            """,
            """
            <xs:complexType name='B' abstract='true'/><xs:complexType name='T'/><xs:complexType name='D'><xs:complexContent>
            <xs:extension base='a:B'><xs:sequence><xs:element name='d'/></xs:sequence></xs:extension></xs:complexContent>
            </xs:complexType><xs:element name='h' type='xs:int' abstract='true'/>
            <xs:element name='m' type='xs:int' substitutionGroup='a:h'/>
            """)
        #expect(code { try message.read(content) } == expected)
    }

    @Test("Elements of xs:all may have any order, but only the allowed number of occurrences") func all() async throws {
        let message = try await Message(
            "<xs:complexType><xs:all><xs:element name='a'/><xs:element name='b' minOccurs='0'/></xs:all></xs:complexType>"
        )
        for (content, expected) in [
            ("<a/><b/>", nil), ("<b/><a/>", nil), ("<a/>", nil), ("<b/>", "value.missing-element"),
            ("<a/><a/>", "value.unexpected-element"),
        ] { #expect(code { try message.read(content) } == expected, "\(content)") }
        #expect(try message.read("<b/><a/>") == json(#"{"b": "", "a": ""}"#))
    }

    @Test(
        "A reference to an unknown attachment is an error at any position",
        arguments: ["file:///etc/passwd", "http://127.0.0.1/", "cid:absent", ""])
    func attachments(href: String) async throws {
        let include = "<x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='\(href)'/>"
        let expected = href.hasPrefix("cid:") ? "value.missing-attachment" : "value.attachment-reference"
        for type in ["xs:base64Binary", "xs:string", "xs:anyType"] {
            let message = try await Message(
                "<xs:complexType><xs:sequence><xs:element name='v' type='\(type)'/></xs:sequence></xs:complexType>")
            #expect(code { try message.read("<v>\(include)</v>") } == expected)
        }
    }

    @Test("A reference that the schema declares is replaced by the bytes") func declaredAttachment() async throws {
        let include = "http://www.w3.org/2004/08/xop/include"
        let types = """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="\(include)">
            <xs:element name="Include"><xs:complexType><xs:attribute name="href" type="xs:anyURI"/></xs:complexType></xs:element>
            </xs:schema>
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:x="\(include)" targetNamespace="urn:a">
            <xs:element name="In"><xs:complexType><xs:sequence><xs:element ref="x:Include"/></xs:sequence></xs:complexType>
            </xs:element><xs:element name="Out"/></xs:schema>
            """
        let description = try await Recipe.read(Recipe.description(types: types))
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        let coder = DynamicCoder(description.schema)
        for (content, expected) in [("aGVsbG8=", nil), ("a", "value.invalid")] {
            let body = Array("<Body><In xmlns='urn:a'>\(content)</In></Body>".utf8)
            #expect(code { try coder.json(fromBody: body, of: operation.input) } == expected)
        }
    }

    @Test("The members of a struct in SOAP encoding may have any order") func encoded() async throws {
        let document = Recipe.description(
            types: Recipe.schema(
                """
                <xs:complexType name="S"><xs:sequence><xs:element name="a" type="xs:int" form="unqualified"/>
                <xs:element name="b" type="xs:int" form="unqualified"/></xs:sequence></xs:complexType>
                """),
            messages: "<message name='In'><part name='s' type='a:S'/></message><message name='Out'/>",
            binding: """
                <binding name='B' type='w:P'>
                <soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/><operation name='Get'>
                <input><soap:body use='encoded' namespace='urn:r'/></input><output/></operation></binding>
                """)
        let description = try await Recipe.read(document)
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        let coder = DynamicCoder(description.schema)
        for (content, expected) in [
            ("<b>2</b><a>1</a>", nil), ("<a>1</a>", "value.missing-element"),
            ("<a href='#x'/><b>2</b>", "value.missing-reference"),
            ("<a>1</a><b>x</b>", "value.invalid"), ("<a>1</a><b>2</b><c/>", "value.unexpected-element"),
        ] {
            let body = Array("<Body><r:Get xmlns:r='urn:r'><s>\(content)</s></r:Get></Body>".utf8)
            #expect(code { try coder.json(fromBody: body, of: operation.input) } == expected, "\(content)")
        }
    }
}

@Suite struct RepeatedGroupTests {
    private static let pairs = """
        <xs:complexType><xs:sequence maxOccurs='unbounded'><xs:element name='email' type='xs:string' minOccurs='0'/>
        <xs:element name='key' type='xs:string' minOccurs='0'/></xs:sequence></xs:complexType>
        """

    @Test("The pairing of values in a repeated group is retained in both directions") func pairs() async throws {
        let message = try await Message(Self.pairs)
        for content in [
            "<email>A</email><email>B</email><key>K2</key>",
            "<email>A</email><key>K1</key><email>B</email><key>K2</key>",
            "<key>K1</key><email>A</email>", "<key>K1</key><key>K2</key><email>A</email>", "<email>A</email>",
        ] {
            let value = try message.read(content)
            let written = try message.write(value.text).replacing("ns1:", with: "")
            #expect(written.contains(">\(content)<"), "\(value.text): \(written)")
        }
        let value = try message.read("<email>A</email><email>B</email><key>K2</key>")
        #expect(try value == json(##"{"#content": [{"email": "A"}, {"email": "B", "key": "K2"}]}"##))
    }

    @Test(
        "Members that allow one order of a repeated group are written; ambiguous ones are refused",
        arguments: [
            (#"{"email": ["A", "B"], "key": ["K1", "K2"]}"#, nil), (#"{"email": ["A", "B"], "key": ["K2"]}"#, nil),
            (#"{"email": ["A", "B"]}"#, "<email>A</email><email>B</email>"),
            (#"{"key": "K", "email": "A"}"#, "<email>A</email><key>K</key>"),
        ] as [(String, String?)])
    func optional(json: String, content: String?) async throws {
        let message = try await Message(Self.pairs)
        guard let content else {
            #expect(throws: WSDLCompilerError.value(path: "$", .ambiguousOrder(names: ["email", "key"]))) {
                try message.write(json)
            }
            return
        }
        #expect(try message.write(json).replacing("ns1:", with: "").contains(content))
    }

    @Test("Pairs whose elements are all required need no order") func required() async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence maxOccurs='unbounded'><xs:element name='n' type='xs:string'/>
            <xs:element name='v' type='xs:string' minOccurs='0'/></xs:sequence></xs:complexType>
            """)
        let content = "<n>1</n><v>a</v><n>2</n><v>b</v>"
        #expect(try message.write(#"{"v": ["a", "b"], "n": ["1", "2"]}"#).replacing("ns1:", with: "").contains(content))
        #expect(code { try message.write(#"{"v": ["a"], "n": ["1", "2"]}"#) } == "json.ambiguous-order")
        #expect(code { try message.write(#"{"v": ["a", "b", "c"], "n": ["1", "2"]}"#) } == "json.missing")
    }

    @Test("The order of elements in a repeated choice is retained in both directions") func choice() async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:choice minOccurs='0' maxOccurs='unbounded'><xs:element name='a' type='xs:int'/>
            <xs:element name='b' type='xs:int'/></xs:choice></xs:complexType>
            """)
        for (content, form) in [
            ("<a>1</a><b>2</b><a>3</a>", ##"{"#content": [{"a": 1}, {"b": 2}, {"a": 3}]}"##),
            ("<a>1</a><a>2</a>", #"{"a": [1, 2]}"#), ("<b>1</b><a>2</a>", #"{"b": [1], "a": [2]}"#),
        ] {
            let value = try message.read(content)
            #expect(try value == json(form))
            #expect(try message.write(value.text).replacing("ns1:", with: "").contains(">\(content)<"))
        }
        #expect(code { try message.write(#"{"a": [1, 2], "b": [3]}"#) } == "json.ambiguous-order")
    }

    @Test("The positions of texts in mixed content are retained in both directions") func mixed() async throws {
        let message = try await Message(
            """
            <xs:complexType mixed='true'><xs:sequence><xs:element name='b' type='xs:string' minOccurs='0' maxOccurs='2'/>
            </xs:sequence></xs:complexType>
            """)
        let value = try message.read("one <b>two</b> three")
        #expect(try value == json(##"{"#content": ["one ", {"b": "two"}, " three"]}"##))
        #expect(try message.write(value.text).contains(">one <ns1:b>two</ns1:b> three<"))
        #expect(try message.write(##"{"#text": "one", "b": "two"}"##).contains(">one<ns1:b>two</ns1:b><"))
    }

    @Test("The order of undeclared elements is retained in both directions") func anything() async throws {
        let message = try await Message(
            "<xs:complexType><xs:sequence><xs:any maxOccurs='9' namespace='##other'/></xs:sequence></xs:complexType>")
        for content in ["<ns2:a>1</ns2:a><ns2:b>2</ns2:b><ns2:a>3</ns2:a>", "<ns2:a>1</ns2:a><ns2:b>2</ns2:b>"] {
            let value = try message.read(content.replacing("ns2:", with: "p:"))
            #expect(try message.write(value.text).contains(">\(content)<"), "\(value.text)")
        }
    }

    @Test(
        "The elements of #content are compared with the description",
        arguments: [
            (##"{"#content": [{"email": "A", "kay": "K"}]}"##, "value.unexpected-element"),
            (##"{"#content": "A"}"##, "json.wrong-kind"),
            (##"{"#content": ["A"]}"##, "json.wrong-kind"), (##"{"#content": [], "email": "A"}"##, "json.unknown"),
            (##"{"#text": "A"}"##, "json.unknown"), (##"{"#context": []}"##, "json.unknown"),
        ])
    func refused(json: String, expected: String) async throws {
        let message = try await Message(Self.pairs)
        #expect(code { try message.write(json) } == expected)
    }
}

@Suite struct LenientReadingTests {
    @Test("Lenient reading continues, and reports each problem with its position") func reports() async throws {
        let message = try await Message(
            """
            <xs:complexType><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:date'/></xs:sequence>
            </xs:complexType>
            """)
        let body = "<Body><In xmlns='urn:a' u='1'><b>2024-13-01</b><c>3</c><a>1</a></In></Body>"
        var found: [String] = []
        let text = try message.coder.json(
            fromBody: Array(body.utf8), of: message.message, reporting: { found.append($0.code) })
        #expect(try json(text) == json(#"{"@u": "1", "b": "2024-13-01", "{urn:a}c": "3", "a": 1}"#))
        #expect(
            found == [
                "value.unexpected-attribute", "value.unexpected-element", "value.missing-element", "value.invalid",
            ])
    }

    @Test("A reference to something outside the message is an error in lenient reading too") func attachment()
        async throws
    {
        let message = try await Message("<xs:simpleType><xs:restriction base='xs:base64Binary'/></xs:simpleType>")
        let body =
            "<Body><In xmlns='urn:a'><x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='file:///a'/></In></Body>"
        #expect(throws: WSDLCompilerError.value(path: "$", .invalid(.attachmentReference("file:///a")))) {
            try message.coder.json(fromBody: Array(body.utf8), of: message.message, reporting: { _ in })
        }
    }
}
