// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct JSONTests {
    @Test(
        "Numbers, order and escapes are retained",
        arguments: [
            "{\n  \"b\": 1.50,\n  \"a\": [\n    -0,\n    12345678901234567890\n  ],\n  \"c\": {}\n}",
            "\"\\u0001\\n€😀\"", "[]",
            "null", "true",
        ])
    func text(_ text: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).text == text)
    }

    @Test("An escaped surrogate pair is one character") func surrogates() throws {
        #expect(try JSONValue(parsing: Array(#""\ud83d\ude00\/""#.utf8)) == .string("😀/"))
    }

    @Test(
        "A text that is not JSON is refused with the position",
        arguments: [
            ("", 1, 1), ("{", 1, 2), ("[1,]", 1, 4), ("01", 1, 2), ("1.", 1, 3), ("\"\\x\"", 1, 3), ("\"\n\"", 1, 2),
            ("{\"a\":1,\n\"a\":2}", 2, 3), ("tru", 1, 4), ("1 2", 1, 3), ("\"\\ud800\"", 1, 8), ("nul", 1, 4),
        ])
    func refused(text: String, line: Int, column: Int) {
        #expect(throws: WSDLCompilerError.value(path: "$", .syntax(line: line, column: column))) {
            try DynamicCoder.value(of: Array(text.utf8))
        }
    }

    @Test("JSON that nests deeper than 200 is refused") func deep() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: WSDLCompilerError.self) { try DynamicCoder.value(of: Array(text.utf8)) }
    }
}

@Suite struct DynamicCoderTests {
    private static let schema = Recipe.schema(
        """
        <xs:element name="In" type="a:In"/><xs:element name="Out" type="a:In"/>
        <xs:complexType name="In"><xs:sequence>
          <xs:element name="text" type="xs:string" minOccurs="0"/>
          <xs:element name="amount" type="xs:decimal" minOccurs="0"/>
          <xs:element name="many" type="xs:int" minOccurs="0" maxOccurs="unbounded"/>
          <xs:element name="none" type="xs:int" nillable="true" minOccurs="0"/>
          <xs:choice minOccurs="0"><xs:element name="x" type="xs:boolean"/>
            <xs:sequence><xs:element name="y" type="xs:int"/><xs:element name="z" type="xs:int"/></xs:sequence></xs:choice>
          <xs:element name="shape" type="a:Shape" minOccurs="0"/>
          <xs:element name="price" type="a:Price" minOccurs="0"/>
          <xs:element name="list" minOccurs="0"><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType></xs:element>
          <xs:element ref="a:head" minOccurs="0"/>
          <xs:element name="data" type="xs:anyType" minOccurs="0"/>
          <xs:element name="name" type="xs:QName" minOccurs="0"/>
          <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="2"/>
        </xs:sequence><xs:attribute name="id" type="xs:int"/></xs:complexType>
        <xs:complexType name="Shape" abstract="true"/>
        <xs:complexType name="Circle"><xs:complexContent><xs:extension base="a:Shape"><xs:sequence>
          <xs:element name="r" type="xs:double"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">
          <xs:attribute name="currency" use="required"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:element name="head" abstract="true" type="xs:int"/><xs:element name="member" substitutionGroup="a:head"/>
        """)

    private func coder() async throws -> (coder: DynamicCoder, message: WSDLCompiler.Operation.Message) {
        let description = try await Recipe.read(Recipe.description(types: Self.schema))
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        return (DynamicCoder(description.schema), operation.input)
    }

    @Test("A JSON value is converted to XML in the schema's order, and to the same JSON again", arguments: forms)
    func form(json: String, xml: String) async throws {
        let (coder, message) = try await coder()
        let body = String(decoding: try coder.body(forJSON: Array(json.utf8), of: message), as: UTF8.self)
        let content = xml.isEmpty ? "/>" : ">\(xml)</ns1:In>"
        #expect(body.contains(content) || body.contains(xml), "\(body)")
        let back = try coder.json(fromBody: Array("<Body>\(body)</Body>".utf8), of: message)
        #expect(try JSONValue(parsing: Array(back.utf8)) == JSONValue(parsing: Array(json.utf8)))
    }

    static let forms = [
        ("{}", ""),
        (#"{"text": "a<b>&c"}"#, "<ns1:text>a&lt;b&gt;&amp;c</ns1:text>"),
        (#"{"amount": 12.50}"#, "<ns1:amount>12.50</ns1:amount>"),
        (#"{"many": [1, 2]}"#, "<ns1:many>1</ns1:many><ns1:many>2</ns1:many>"),
        (#"{"many": [1]}"#, "<ns1:many>1</ns1:many>"),
        (#"{"none": null}"#, #"<ns1:none xsi:nil="true"/>"#),
        (#"{"x": true}"#, "<ns1:x>true</ns1:x>"),
        (#"{"y": 1, "z": 2}"#, "<ns1:y>1</ns1:y><ns1:z>2</ns1:z>"),
        (
            #"{"shape": {"@type": "Circle", "r": 1e3}}"#,
            #"<ns1:shape xsi:type="ns1:Circle"><ns1:r>1e3</ns1:r></ns1:shape>"#
        ),
        (##"{"price": {"@currency": "CHF", "#text": 9.95}}"##, #"<ns1:price currency="CHF">9.95</ns1:price>"#),
        (#"{"list": [1, 2, 3]}"#, "<ns1:list>1 2 3</ns1:list>"),
        (#"{"member": 4}"#, "<ns1:member>4</ns1:member>"),
        (#"{"data": "text"}"#, "<ns1:data>text</ns1:data>"),
        (#"{"data": {"@type": "Circle", "r": 1}}"#, #"<ns1:data xsi:type="ns1:Circle"><ns1:r>1</ns1:r></ns1:data>"#),
        (##"{"data": {"a": {"@b": "c", "#text": "d"}}}"##, #"<ns1:data><a b="c">d</a></ns1:data>"#),
        (#"{"name": "{urn:q}n"}"#, "<ns1:name>ns2:n</ns1:name>"),
        (#"{"{urn:o}e": ["1", "2"]}"#, "<ns2:e>1</ns2:e><ns2:e>2</ns2:e>"),
        (#"{"@id": 7}"#, #"id="7""#),
    ]

    @Test("The order of members does not matter, and a decimal has no exponent") func order() async throws {
        let (coder, message) = try await coder()
        let json = #"{"amount": 1.5e3, "text": "a", "{urn:a}many": 1}"#
        let body = String(decoding: try coder.body(forJSON: Array(json.utf8), of: message), as: UTF8.self)
        #expect(body.contains("<ns1:text>a</ns1:text><ns1:amount>1500</ns1:amount><ns1:many>1</ns1:many>"))
    }

    @Test("A value that does not match the type is refused with its path", arguments: refusals)
    func refused(json: String, path: String, problem: ValueProblem) async throws {
        let (coder, message) = try await coder()
        #expect(throws: WSDLCompilerError.value(path: path, problem)) {
            try coder.body(forJSON: Array(json.utf8), of: message)
        }
    }

    static let refusals: [(String, String, ValueProblem)] = [
        (#"{"txt": "a"}"#, "$", .unknown(name: "txt", nearest: "text")),
        (#"{"@ib": 1}"#, "$", .unknown(name: "@ib", nearest: "@id")),
        (#"{"x": true, "y": 1, "z": 2}"#, "$", .unknown(name: "x", nearest: nil)),
        (#"{"y": 1}"#, "$", .missing(name: "z")),
        (#"{"many": [1, {}]}"#, "$.many[1]", .wrongKind(expected: "a string, a number or a boolean")),
        (#"{"many": [1, null]}"#, "$.many[1]", .null),
        (#"{"text": ["a"]}"#, "$.text", .wrongKind(expected: "a single value")),
        (#"{"shape": {"r": 1}}"#, "$.shape", .abstract(type: "Shape")),
        (#"{"shape": {"@type": "Square"}}"#, "$.shape", .unknownType(name: "Square")),
        (##"{"price": {"#text": 1}}"##, "$.price", .missing(name: "@currency")),
        (#"{"price": {"@currency": "CHF"}}"#, "$.price", .missing(name: "#text")),
        ("[]", "$", .wrongKind(expected: "an object")), ("null", "$", .null),
        (#"{"{urn:o}e": ["1", "2", "3"]}"#, "$", .tooMany(name: "{urn:o}e", limit: 2)),
        (
            #"{"amount": 1e-9223372036854775808}"#, "$.amount",
            .wrongKind(expected: "a number of at most 400 digits")
        ),
    ]

    @Test(
        "A member whose name is invalid in XML is refused",
        arguments: [
            ("x/><admin>1</admin><y", "$.data"), ("x/></ns1:data><z", "$.data"), ("@a='1' b", "$.data"), ("", "$.data"),
            ("@xmlns", "$.data"), ("@{http://www.w3.org/2000/xmlns/}p", "$.data"), ("{urn:o}a b", "$"),
            ("{urn:o}", "$"),
        ])
    func names(name: String, parent: String) async throws {
        let (coder, message) = try await coder()
        let json = parent == "$" ? "{\"\(name)\": \"1\"}" : "{\"data\": {\"\(name)\": \"1\"}}"
        let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
        #expect(throws: WSDLCompilerError.value(path: "\(parent).\(name)", .invalidName(name: bare))) {
            try coder.body(forJSON: Array(json.utf8), of: message)
        }
    }

    @Test("Elements that differ only in their namespaces are different members", arguments: [true, false])
    func namespaces(isQualifiedFirst: Bool) async throws {
        let qualified = "<xs:element name='id' type='xs:int' form='qualified'/>"
        let unqualified = "<xs:element name='id' type='xs:int' form='unqualified'/>"
        let both = isQualifiedFirst ? qualified + unqualified : unqualified + qualified
        let description = try await Recipe.read(
            Recipe.description(
                types: Recipe.schema(
                    """
                    <xs:element name='In'><xs:complexType><xs:sequence>\(both)</xs:sequence></xs:complexType></xs:element>
                    <xs:element name='Out'/>
                    """)))
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        let coder = DynamicCoder(description.schema)
        let other = isQualifiedFirst ? "{}id" : "{urn:a}id"
        let json = try JSONValue(parsing: Array("{\"id\": 1, \"\(other)\": 2}".utf8))
        let body = try coder.body(forJSON: Array(json.text.utf8), of: operation.input)
        let content = isQualifiedFirst ? "<ns1:id>1</ns1:id><id>2</id>" : "<id>1</id><ns1:id>2</ns1:id>"
        #expect(String(decoding: body, as: UTF8.self).contains(content))
        let back = try coder.json(fromBody: Array("<Body>".utf8) + body + Array("</Body>".utf8), of: operation.input)
        #expect(try JSONValue(parsing: Array(back.utf8)) == json)
    }

    @Test("A response with another element is refused") func otherElement() async throws {
        let (coder, message) = try await coder()
        #expect(throws: WSDLCompilerError.value(path: "$", .unexpectedElement(name: "{urn:a}Other"))) {
            try coder.json(fromBody: Array("<Body><o:Other xmlns:o='urn:a'/></Body>".utf8), of: message)
        }
    }

    /// An operation whose part `n` has an element `v` and any number of nested elements `next` of the same type.
    private func nodes(use: String = "encoded") async throws -> (
        coder: DynamicCoder, message: WSDLCompiler.Operation.Message
    ) {
        let document = Recipe.description(
            types: Recipe.schema(
                """
                <xs:complexType name="N"><xs:sequence><xs:element name="v" type="xs:int" form="unqualified" minOccurs="0"/>
                <xs:element name="next" type="a:N" form="unqualified" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
                <xs:anyAttribute/></xs:complexType>
                """),
            messages: "<message name='In'><part name='n' type='a:N'/></message><message name='Out'/>",
            binding: """
                <binding name='B' type='w:P'>
                <soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/><operation name='Get'>
                <input><soap:body use='\(use)' namespace='urn:r'/></input><output/></operation></binding>
                """)
        let description = try await Recipe.read(document)
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        return (DynamicCoder(description.schema), operation.input)
    }

    private static func body(_ targets: String) -> [UInt8] {
        Array("<Body><r:Get xmlns:r='urn:r'><n href='#1'/></r:Get>\(targets)</Body>".utf8)
    }

    @Test("In SOAP encoding, references by href are followed") func multipleReferences() async throws {
        let (coder, message) = try await nodes()
        let body = Self.body("<m id='1'><v>1</v><next href='#2'/></m><m id='2'><v>2</v></m>")
        let json = try coder.json(fromBody: body, of: message)
        #expect(
            try JSONValue(parsing: Array(json.utf8))
                == JSONValue(parsing: Array(#"{"n": {"v": 1, "next": [{"v": 2}]}}"#.utf8)))
    }

    @Test(
        "References that are circular, too many or too expensive are refused",
        arguments: [
            ("<m id='1'><next href='#1'/></m>", "json.circular-reference"),
            (
                (1...99).map { "<m id='\($0)'><next href='#\($0 + 1)'/><next href='#\($0 + 1)'/></m>" }.joined(),
                "json.too-many-references"
            ),
            (
                "<m id='1'>\(String(repeating: "<next href='#2'/>", count: 9_000))</m>"
                    + "<m id='2'><v>\(String(repeating: "1", count: 100_000))</v></m>", "json.too-many-references"
            ),
        ])
    func references(targets: String, code: String) async throws {
        let (coder, message) = try await nodes()
        let error = #expect(throws: WSDLCompilerError.self) {
            try coder.json(fromBody: Self.body(targets), of: message)
        }
        #expect(error?.code == code)
    }

    @Test("In a literal message, href and id are ordinary attributes") func literalReferences() async throws {
        let (coder, message) = try await nodes(use: "literal")
        let json = try coder.json(fromBody: Self.body("<m id='1'><v>1</v></m>"), of: message)
        #expect(
            try JSONValue(parsing: Array(json.utf8)) == JSONValue(parsing: Array(##"{"n": {"@href": "#1"}}"##.utf8)))
    }
}
