// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

@Suite struct TypeGenerationTests {
    @Test("A sequence becomes properties, with defaults for what may be absent")
    func sequence() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Balance">
                  <xs:annotation><xs:documentation>The balance. In full.</xs:documentation></xs:annotation>
                  <xs:sequence>
                    <xs:element name="Account" type="xs:string"/>
                    <xs:element name="limit" type="xs:decimal" minOccurs="0" maxOccurs="unbounded"/>
                    <xs:element name="note" type="xs:string" minOccurs="0" nillable="true"/>
                    <xs:element name="owner" type="xs:string" nillable="true"/>
                    <xs:element name="count" type="xs:int" default="3"/>
                  </xs:sequence>
                  <xs:attribute name="id" type="xs:ID" use="required"/>
                  <xs:attribute name="Currency" type="xs:string" default="CHF"/>
                </xs:complexType>
                """)
        #expect(
            swift.has(
                """
                /// The balance.
                ///
                /// In full.
                public struct Balance: XMLCodable {
                /// The attribute `id`.
                public var id: String
                """))
        #expect(
            swift.has(
                """
                id: String,
                currency: String? = nil,
                account: String,
                limit: [Decimal] = [],
                note: String? = nil,
                owner: String?,
                count: Int32
                """))
        #expect(
            swift.has(
                """
                try xml.attribute("id", id)
                try xml.attribute("Currency", currency)
                try xml.element("Account", in: tNamespace, account)
                try xml.elements("limit", in: tNamespace, limit)
                try xml.nillable("note", in: tNamespace, $note)
                try xml.nillable("owner", in: tNamespace, owner)
                try xml.element("count", in: tNamespace, count)
                """))
        #expect(
            swift.has(
                """
                id = try xml.attribute("id")
                currency = try xml.optionalAttribute("Currency")
                account = try xml.element("Account", in: tNamespace)
                limit = try xml.elements("limit", in: tNamespace)
                _note = Nillable(projectedValue: try xml.optionalNillable("note", in: tNamespace))
                owner = try xml.nillable("owner", in: tNamespace)
                count = try xml.element("count", in: tNamespace, default: "3")
                """))
        #expect(swift.has(#"public static var xmlType: XMLName? { XMLName("Balance", in: tNamespace) }"#))
        #expect(swift.has("/// The default is `CHF`."))
    }

    @Test("Unqualified elements are written without a namespace")
    func unqualified() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="A"><xs:sequence><xs:element name="b" type="xs:string"/></xs:sequence></xs:complexType>
                """, form: "unqualified")
        #expect(swift.has(#"try xml.element("b", b)"#))
    }

    @Test("A choice becomes an enum, and an alternative with several elements a group")
    func choice() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Payment"><xs:choice>
                  <xs:element name="card" type="xs:string"/>
                  <xs:element name="coin" type="xs:int" maxOccurs="unbounded"/>
                  <xs:sequence><xs:element name="bank" type="xs:string"/><xs:element name="iban" type="xs:string"/></xs:sequence>
                </xs:choice></xs:complexType>
                """)
        #expect(swift.has("public var choice: Choice"))
        #expect(
            swift.has(
                """
                public enum Choice: XMLGroup {
                case card(String)
                case coin([Int32])
                case bankGroup(BankGroup)
                """))
        #expect(
            swift.has(
                """
                if xml.isNext("coin", in: tNamespace) {
                self = .coin(try xml.elements("coin", in: tNamespace))
                return
                }
                if BankGroup.begins(at: xml) {
                self = .bankGroup(try xml.group())
                return
                }
                throw xml.noChoice("Choice")
                """))
        #expect(swift.has("public struct BankGroup: XMLGroup {"))
    }

    @Test(
        "Redundant groups are omitted",
        arguments: [
            (#"<xs:choice><xs:element name="a" type="xs:int"/></xs:choice>"#, "public var a: Int32"),
            (#"<xs:choice maxOccurs="9"><xs:element name="a" type="xs:int"/></xs:choice>"#, "public var a: [Int32]"),
            (#"<xs:sequence minOccurs="0"><xs:element name="a" type="xs:int"/></xs:sequence>"#, "public var a: Int32?"),
            (
                #"<xs:sequence minOccurs="0"><xs:element name="a" type="xs:int" minOccurs="0"/><xs:element name="b" type="xs:int" minOccurs="0"/></xs:sequence>"#,
                "public var a: Int32?"
            ),
            (
                #"<xs:sequence minOccurs="0"><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:sequence>"#,
                "public var aGroup: AGroup?"
            ),
            (
                #"<xs:sequence maxOccurs="unbounded"><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:sequence>"#,
                "public var aGroup: [AGroup]"
            ),
            (
                #"<xs:choice><xs:element name="a" type="xs:int" minOccurs="0"/><xs:element name="b" type="xs:int"/></xs:choice>"#,
                "public var choice: Choice?"
            ),
            (
                #"<xs:choice maxOccurs="unbounded"><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:choice>"#,
                "public var choice: [Choice]"
            ),
            (
                #"<xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/><xs:element name="a" type="xs:int"/></xs:sequence>"#,
                "public var a2: Int32"
            ),
            (
                #"<xs:sequence><xs:element name="a" type="xs:int" maxOccurs="0" minOccurs="0"/></xs:sequence>"#,
                "public init() {}"
            ),
            (#"<xs:sequence><xs:any minOccurs="0"/></xs:sequence>"#, "public var otherElement: XMLElementValue?"),
            (#"<xs:sequence><xs:any maxOccurs="2"/></xs:sequence>"#, "public var otherElements: [XMLElementValue]"),
        ])
    func groups(content: String, expected: String) async throws {
        let swift = try await Generated(schema: #"<xs:complexType name="T">\#(content)</xs:complexType>"#)
        #expect(swift.has(expected))
    }

    @Test("The elements of xs:all are read in any order")
    func all() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="T"><xs:all><xs:element name="a" type="xs:int"/>
                <xs:element name="b" type="xs:int" minOccurs="0"/></xs:all></xs:complexType>
                """)
        #expect(
            swift.has(
                """
                try xml.beginAll()
                a = try xml.element("a", in: tNamespace)
                b = try xml.optionalElement("b", in: tNamespace)
                xml.endAll()
                """))
    }

    @Test("Simple content, mixed content and undeclared attributes have properties")
    func content() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">
                  <xs:attribute name="value" type="xs:string"/><xs:anyAttribute/>
                </xs:extension></xs:simpleContent></xs:complexType>
                <xs:complexType name="Text" mixed="true"><xs:sequence><xs:any minOccurs="0"/></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var value: Decimal"))
        #expect(swift.has("public var valueAttribute: String?"))
        #expect(swift.has("public var otherAttributes: [XMLName: String]"))
        #expect(swift.has(#"otherAttributes = xml.otherAttributes(except: [XMLName("value")])"#))
        #expect(swift.has("value = try xml.text()"))
        #expect(swift.has("public var content: [XMLContent]"))
        #expect(swift.has("content = try xml.mixed()"))
    }

    @Test("An extended base type is an enum if an element has its type")
    func derivations() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Shape" abstract="true"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>
                <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape">
                  <xs:sequence><xs:element name="radius" type="xs:double"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
                <xs:complexType name="Drawing"><xs:sequence><xs:element name="shape" type="t:Shape"/></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var shape: AnyShape"))
        #expect(swift.has("public enum AnyShape: XMLCodable {\ncase circle(Circle)\n"))
        #expect(swift.has("public init(name: String, radius: Double) {"))
        #expect(
            swift.has(
                """
                case XMLName("Circle", in: tNamespace):
                self = .circle(try Circle(from: &xml))
                """))
        #expect(!swift.text.contains("case shape(Shape)"))
    }

    @Test("A base type without an element of its type is not an enum")
    func unusedDerivations() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="A"><xs:sequence/></xs:complexType>
                <xs:complexType name="B"><xs:complexContent><xs:extension base="t:A"/></xs:complexContent></xs:complexType>
                """)
        #expect(!swift.text.contains("AnyA"))
    }

    @Test("A local element has its own type, even with a global one of its name on the same line")
    func oneLine() async throws {
        let swift = try await Generated(
            schema: """
                <xs:element name="Filter"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence>\
                </xs:complexType></xs:element><xs:element name="Search"><xs:complexType><xs:sequence>\
                <xs:element name="Filter"><xs:complexType><xs:attribute name="y" type="xs:int"/></xs:complexType></xs:element>\
                </xs:sequence></xs:complexType></xs:element>
                """)
        #expect(swift.has("public var filter: FilterElement"))
        #expect(swift.has("public var y: Int32?"))
    }

    @Test("The head of a substitution group is an enum of the elements that can replace it")
    func substitutions() async throws {
        let swift = try await Generated(
            schema: """
                <xs:element name="animal" type="xs:string" abstract="true"/>
                <xs:element name="dog" type="xs:string" substitutionGroup="t:animal"/>
                <xs:element name="cat" substitutionGroup="t:animal" type="xs:string"/>
                <xs:complexType name="Zoo"><xs:sequence><xs:element ref="t:animal" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var animal: [AnyAnimal]"))
        #expect(swift.has("public enum AnyAnimal: XMLGroup {\ncase dog(String)\ncase cat(String)"))
        #expect(swift.has("animal = try xml.groups()"))
    }
}
