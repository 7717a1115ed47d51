// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

@Suite struct ClashTests {
    @Test("A name in two namespaces is prefixed with the namespace in both; others are not")
    func namespaces() async throws {
        let one = """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:one" xmlns:o="urn:other">
            <xs:import namespace="urn:other" schemaLocation="other.xsd"/>
            <xs:complexType name="Address"><xs:sequence><xs:element name="a" type="o:Address"/></xs:sequence></xs:complexType>
            <xs:complexType name="Street"><xs:sequence/></xs:complexType>
            </xs:schema>
            """
        let other = """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:other">
            <xs:complexType name="Address"><xs:sequence><xs:element name="b" type="xs:int"/></xs:sequence></xs:complexType>
            </xs:schema>
            """
        let swift = try await Generated(document: one, others: ["other.xsd": other])
        #expect(swift.files.map(\.name) == ["One.swift", "Other.swift"])
        #expect(swift.files[0].text.contains("public struct OneAddress: XMLCodable {"))
        #expect(swift.files[0].text.contains("public var a: OtherAddress"))
        #expect(swift.files[0].text.contains("public struct Street: XMLCodable {"))
        #expect(swift.files[1].text.contains("public struct OtherAddress: XMLCodable {"))
        #expect(swift.files[1].text.contains(#"private let otherNamespace = "urn:other""#))
    }

    @Test("An element with a type's name gets the suffix Element, an attribute with an element's name Attribute")
    func kinds() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="item"><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence>
                  <xs:attribute name="id" type="xs:int"/></xs:complexType>
                <xs:element name="Item"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
                """)
        #expect(swift.has("public struct Item: XMLCodable {"))
        #expect(swift.has("public struct ItemElement: XMLCodable {"))
        #expect(swift.has("public var idAttribute: Int32?"))
        #expect(swift.has("public var id: Int32"))
    }

    @Test("Names that differ only in case or symbols get numbers")
    func cases() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="T"><xs:sequence><xs:element name="Name" type="xs:int"/><xs:element name="name" type="xs:int"/>
                <xs:element name="na-me" type="xs:int"/><xs:element name="naMe" type="xs:int"/></xs:sequence></xs:complexType>
                <xs:complexType name="t"><xs:sequence/></xs:complexType>
                """)
        #expect(
            swift.has("name: Int32, name2: Int32, naMe: Int32, naMe2: Int32") || swift.text.contains("naMe2: Int32"))
        #expect(swift.has("public var name2: Int32"))
        #expect(swift.has("public struct TType: XMLCodable {"))
    }

    @Test(
        "Types of Swift and of the runtime library are not shadowed",
        arguments: [
            "String", "Int", "Error", "Any", "Type", "Self", "Optional", "Array", "Set", "Data", "Date", "Result",
            "XMLName",
        ])
    func libraries(name: String) async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="\(name)"><xs:sequence><xs:element name="x" type="t:\(name)" minOccurs="0"/>
                </xs:sequence></xs:complexType>
                <xs:complexType name="Outer"><xs:sequence><xs:element name="\(name)"><xs:complexType><xs:sequence/></xs:complexType>
                </xs:element></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public struct \(name)Type: XMLCodable {"))
        #expect(swift.has("public struct \(name)Element: XMLCodable {"))
    }

    @Test("A nested type has no name of a top-level type")
    func nested() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Address"><xs:sequence/></xs:complexType>
                <xs:complexType name="Person"><xs:sequence><xs:element name="address"><xs:complexType><xs:sequence>
                  <xs:element name="person"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
                </xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var address: AddressElement"))
        #expect(swift.has("public var person: PersonElement"))
    }

    @Test("Swift keywords can be properties, and names of protocol members cannot")
    func keywords() async throws {
        let names = ["class", "in", "self", "init", "default", "xml", "tNamespace", "value"]
        let swift = try await Generated(
            schema: """
                <xs:complexType name="T"><xs:sequence>
                \(names.map { "<xs:element name=\"\($0)\" type=\"xs:int\"/>" }.joined())
                </xs:sequence></xs:complexType>
                """)
        for name in ["`class`", "`in`", "self2", "init2", "`default`", "xml", "tNamespace2", "value"] {
            #expect(swift.has("public var \(name): Int32"))
        }
        #expect(swift.has(#"try xml.element("xml", in: tNamespace, self.xml)"#))
        #expect(swift.has(#"self.xml = try xml.element("xml", in: tNamespace)"#))
    }
}
