// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct SchemaReadingTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        /// The schema that declares the type `T`.
        var schema: String
        var outline: String

        var testDescription: String { name }
    }

    @Test("A type's content and attributes are read from the schema", arguments: cases)
    func outline(_ each: Case) async throws {
        let description = try await Recipe.read(Recipe.schema(each.schema))
        #expect(Outline.of(description.schema.types[XMLName("T", in: "urn:a")]) == each.outline)
    }

    static let cases = [
        Case(
            name: "sequence, choice and all with occurrences",
            schema: """
                <xs:complexType name="T"><xs:sequence maxOccurs="2"><xs:element name="a" type="xs:int" minOccurs="0"/>
                <xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="b"/><xs:any/></xs:choice>
                </xs:sequence></xs:complexType>
                """,
            outline: "(a?,(b|~)*){1,2}"),
        Case(
            name: "all",
            schema: """
                <xs:complexType name="T"><xs:all><xs:element name="a"/><xs:element name="b" minOccurs="0"/></xs:all>
                </xs:complexType>
                """, outline: "(a&b?)"),
        Case(
            name: "groups with an occurrence, and an attribute group",
            schema: """
                <xs:group name="G"><xs:choice><xs:element name="a"/><xs:element name="b"/></xs:choice></xs:group>
                <xs:attributeGroup name="H"><xs:attribute name="x" type="xs:int" use="required"/></xs:attributeGroup>
                <xs:complexType name="T"><xs:sequence><xs:group ref="a:G" maxOccurs="3"/><xs:element name="c"/></xs:sequence>
                <xs:attributeGroup ref="a:H"/><xs:anyAttribute/></xs:complexType>
                """, outline: "@x!=int @* ((a|b){1,3},c)"),
        Case(
            name: "an extension has the base's elements and attributes first",
            schema: """
                <xs:complexType name="B"><xs:sequence><xs:element name="a"/></xs:sequence>
                <xs:attribute name="x" type="xs:string"/></xs:complexType>
                <xs:complexType name="T"><xs:complexContent><xs:extension base="a:B"><xs:sequence>
                <xs:element name="b"/></xs:sequence><xs:attribute name="y" type="xs:int"/></xs:extension>
                </xs:complexContent></xs:complexType>
                """, outline: "@x=string @y=int (a,b)"),
        Case(
            name: "a restriction keeps inherited attributes, and drops prohibited ones",
            schema: """
                <xs:complexType name="B"><xs:sequence><xs:element name="a"/><xs:element name="b" minOccurs="0"/></xs:sequence>
                <xs:attribute name="x" type="xs:string"/><xs:attribute name="y"/><xs:attribute name="z"/></xs:complexType>
                <xs:complexType name="T"><xs:complexContent><xs:restriction base="a:B"><xs:sequence><xs:element name="a"/>
                </xs:sequence><xs:attribute name="x" type="xs:string" use="required"/>
                <xs:attribute name="y" use="prohibited"/></xs:restriction></xs:complexContent></xs:complexType>
                """, outline: "@x!=string @z=anySimpleType (a)"),
        Case(
            name: "simple content extended, and restricted",
            schema: """
                <xs:complexType name="B"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="x"/></xs:extension>
                </xs:simpleContent></xs:complexType>
                <xs:complexType name="T"><xs:simpleContent><xs:restriction base="a:B"><xs:maxLength value="4"/>
                </xs:restriction></xs:simpleContent></xs:complexType>
                """, outline: "@x=anySimpleType #{string[max 4]}"),
        Case(
            name: "a simple type with facets",
            schema: """
                <xs:simpleType name="T"><xs:restriction base="xs:string"><xs:enumeration value="x"/>
                <xs:pattern value="[a-z]"/><xs:length value="1"/></xs:restriction></xs:simpleType>
                """, outline: "string[x /[a-z]/ length 1]"),
        Case(
            name: "a list, by a type within it",
            schema: """
                <xs:simpleType name="T"><xs:list><xs:simpleType><xs:restriction base="xs:int"><xs:minInclusive value="3"/>
                </xs:restriction></xs:simpleType></xs:list></xs:simpleType>
                """, outline: "list {int[>=3]}"),
        Case(
            name: "a union",
            schema: """
                <xs:simpleType name="T"><xs:union memberTypes="xs:int a:U"/></xs:simpleType>
                <xs:simpleType name="U"><xs:restriction base="xs:token"/></xs:simpleType>
                """, outline: "int|U"),
        Case(
            name: "an element that refers to one around it",
            schema: """
                <xs:element name="E"><xs:complexType><xs:sequence><xs:element ref="a:E" minOccurs="0"/></xs:sequence>
                </xs:complexType></xs:element>
                <xs:complexType name="T"><xs:sequence><xs:element ref="a:E"/></xs:sequence></xs:complexType>
                """, outline: "(E)"),
        Case(
            name: "an unqualified local element and a qualified attribute",
            schema: """
                <xs:complexType name="T"><xs:sequence><xs:element name="a" form="unqualified"/></xs:sequence>
                <xs:attribute name="x" form="qualified" type="xs:int"/></xs:complexType>
                """, outline: "@{urn:a}x=int (.a)"),
        Case(
            name: "mixed content, and one that holds nothing",
            schema: """
                <xs:complexType name="T" mixed="true"><xs:sequence/></xs:complexType>
                """, outline: "mixed"),
        Case(
            name: "an extension of mixed content without elements",
            schema: """
                <xs:complexType name="B" mixed="true"><xs:attribute name="x"/></xs:complexType>
                <xs:complexType name="T"><xs:complexContent><xs:extension base="a:B"><xs:attribute name="y"/></xs:extension>
                </xs:complexContent></xs:complexType>
                """, outline: "mixed @x=anySimpleType @y=anySimpleType"),
        Case(
            name: "a group that holds itself in an element's type",
            schema: """
                <xs:group name="g"><xs:choice><xs:element name="not"><xs:complexType><xs:group ref="a:g"/></xs:complexType>
                </xs:element><xs:element name="is"/></xs:choice></xs:group>
                <xs:complexType name="T"><xs:group ref="a:g"/></xs:complexType>
                """, outline: "(not|is)"),
        Case(
            name: "an array of SOAP's encoding by its attribute",
            schema: """
                <xs:import namespace="http://schemas.xmlsoap.org/soap/encoding/"/>
                <xs:complexType name="T"><xs:complexContent>
                <xs:restriction base="e:Array" xmlns:e="http://schemas.xmlsoap.org/soap/encoding/">
                <xs:attribute ref="e:arrayType" w:arrayType="xs:int[]" xmlns:w="http://schemas.xmlsoap.org/wsdl/"/>
                </xs:restriction></xs:complexContent></xs:complexType>
                """, outline: "[int]"),
        Case(
            name: "an array of SOAP's encoding by its element",
            schema: """
                <xs:complexType name="T"><xs:complexContent>
                <xs:restriction base="e:Array" xmlns:e="http://schemas.xmlsoap.org/soap/encoding/"><xs:sequence>
                <xs:element name="item" type="e:string" maxOccurs="unbounded"/></xs:sequence></xs:restriction>
                </xs:complexContent></xs:complexType>
                """, outline: "[string]"),
        Case(
            name: "an element without a sequence around it",
            schema: """
                <xs:complexType name="T"><xs:element name="a"/></xs:complexType>
                """, outline: "(a)"),
        Case(
            name: "an element that occurs never",
            schema: """
                <xs:complexType name="T"><xs:sequence><xs:element name="a" minOccurs="0" maxOccurs="0"/>
                <xs:element name="b"/></xs:sequence></xs:complexType>
                """, outline: "(b)"),
    ]

    @Test("A recursive anonymous type is created once") func recursion() async throws {
        let schema = try await Recipe.read(
            Recipe.schema(
                """
                <xs:group name="g"><xs:choice><xs:element name="not"><xs:complexType><xs:group ref="a:g"/></xs:complexType>
                </xs:element><xs:element name="and"><xs:complexType><xs:sequence><xs:element name="not"><xs:complexType>
                <xs:group ref="a:g"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:choice></xs:group>
                <xs:complexType name="T"><xs:sequence><xs:element name="e" minOccurs="0"><xs:complexType><xs:complexContent>
                <xs:extension base="a:T"/></xs:complexContent></xs:complexType></xs:element></xs:sequence></xs:complexType>
                <xs:complexType name="U"><xs:group ref="a:g"/></xs:complexType>
                """)
        ).schema
        let hoisted = schema.hoistedOrder.map { "\($0.local)=\(schema.elements[$0].map { Outline.of($0.type) } ?? "")" }
        #expect(hoisted.sorted() == ["T e={(e?)}", "g not 3={(not|and)}", "g not={(not|and)}"])
        #expect(schema.elementOrder.isEmpty)
    }

    @Test("Substitution groups and derivations are transitive")
    func hierarchies() async throws {
        let schema = try await Recipe.read(
            Recipe.schema(
                """
                <xs:element name="h" type="a:A" abstract="true"/><xs:element name="m" substitutionGroup="a:h"/>
                <xs:element name="n" type="a:C" substitutionGroup="a:m"/>
                <xs:complexType name="A" abstract="true"/>
                <xs:complexType name="B"><xs:complexContent><xs:extension base="a:A"/></xs:complexContent></xs:complexType>
                <xs:complexType name="C"><xs:complexContent><xs:extension base="a:B"/></xs:complexContent></xs:complexType>
                """)
        ).schema
        func name(_ local: String) -> XMLName { XMLName(local, in: "urn:a") }
        #expect(schema.substitutions == [name("h"): [name("m"), name("n")], name("m"): [name("n")]])
        #expect(schema.derivations == [name("A"): [name("B"), name("C")], name("B"): [name("C")]])
        // An element without a type has the type of its substitution group's head.
        #expect(schema.elements[name("m")].map { Outline.of($0.type) } == "A")
    }

    @Test("Documentation is read, with normalized white space") func documentation() async throws {
        let schema = try await Recipe.read(
            Recipe.schema(
                """
                <xs:complexType name="T"><xs:annotation><xs:documentation>  First
                    line,   <b>bold</b>.

                    Second.  </xs:documentation></xs:annotation></xs:complexType>
                """)
        ).schema
        guard case .complex(let type)? = schema.types[XMLName("T", in: "urn:a")] else { throw NoFile() }
        #expect(type.documentation == "First\nline, bold.\n\nSecond.")
    }

    @Test("Included, imported and redefined documents are read once, relative to their location, even in cycles")
    func documents() async throws {
        let main = Recipe.schema(
            """
            <xs:include schemaLocation="sub/b.xsd"/><xs:import namespace="urn:c" schemaLocation="sub/c.xsd"/>
            <xs:include schemaLocation="chameleon.xsd"/>
            <xs:redefine schemaLocation="old.xsd"><xs:complexType name="R"><xs:complexContent><xs:extension base="a:R">
            <xs:sequence><xs:element name="new"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>
            <xs:complexType name="T"><xs:sequence><xs:element name="b" type="a:B"/><xs:element ref="c:c" xmlns:c="urn:c"/>
            <xs:element name="m" type="a:M"/></xs:sequence></xs:complexType>
            """)
        let others = [
            "sub/b.xsd": Recipe.schema(
                """
                <xs:include schemaLocation="../main"/><xs:complexType name="B"><xs:sequence><xs:element name="x"/></xs:sequence>
                </xs:complexType>
                """, attributes: ""),
            "sub/c.xsd": """
            <schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:c">
            <import namespace="urn:a" schemaLocation="../main"/><element name="c" type="string"/></schema>
            """,
            "chameleon.xsd": """
            <schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:x="http://www.w3.org/2001/XMLSchema">
            <complexType name="M"/></schema>
            """,
            "old.xsd": Recipe.schema(
                "<xs:complexType name='R'><xs:sequence><xs:element name='old'/></xs:sequence></xs:complexType>"),
        ]
        let schema = try await Recipe.read(main, others).schema
        let outlines = ["T", "B", "R", "M"].map { Outline.of(schema.types[XMLName($0, in: "urn:a")]) }
        // Each document's elementFormDefault applies to its own elements.
        #expect(outlines == ["(b,c,m)", "(.x)", "(old,new)", ""])
    }

    @Test(
        "A reference is resolved relative to the document that contains it",
        arguments: [
            ("a/b.wsdl", "c.xsd", "a/c.xsd"), ("b.wsdl", "../c.xsd", "../c.xsd"),
            ("/a/b/c.wsdl", "../x%20y.xsd", "/a/x y.xsd"),
            ("a/b.wsdl", "/c.xsd", "/c.xsd"), ("a/b.wsdl", "..\\c.xsd", "c.xsd"), ("a/b.wsdl", "c.xsd#x", "a/c.xsd"),
            ("a/b.wsdl", "http://h/c.xsd", "http://h/c.xsd"), ("http://h/a/b?wsdl", "b?xsd=1", "http://h/a/b?xsd=1"),
            ("http://h/a/b?wsdl", "?xsd=1", "http://h/a/b?xsd=1"), ("https://h:8/a/b", "../../c", "https://h:8/c"),
            ("http://h", "c", "http://h/c"), ("http://h/a", "//i/c", "http://i/c"), ("HTTP://h/a", "c", "http://h/c"),
            ("file:///a/b", "c%20d", "file:///a/c%20d"),
        ])
    func references(base: String, reference: String, resolved: String) {
        #expect(DocumentReference(base).resolve(reference).identifier == resolved)
    }
}
