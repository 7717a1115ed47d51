// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler

@Suite struct CycleTests {
    @Test("A type that contains itself does so indirectly, and only there")
    func direct() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Node"><xs:sequence>
                  <xs:element name="next" type="t:Node" minOccurs="0"/>
                  <xs:element name="children" type="t:Node" minOccurs="0" maxOccurs="unbounded"/>
                  <xs:element name="leaf" type="t:Leaf"/>
                  <xs:element name="null" type="t:Node" minOccurs="0" nillable="true"/>
                </xs:sequence></xs:complexType>
                <xs:complexType name="Leaf"><xs:sequence/></xs:complexType>
                """)
        #expect(swift.has("@Indirect public var next: Node?"))
        #expect(swift.has("public var children: [Node]"))
        #expect(swift.has("public var leaf: Leaf"))
        // The wrapper `@Nillable` already stores its value indirectly.
        #expect(swift.has("@Nillable public var null: Node?"))
    }

    @Test("Types that contain each other do so indirectly, and other types contain them directly")
    func mutual() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="A"><xs:sequence><xs:element name="b" type="t:B"/></xs:sequence></xs:complexType>
                <xs:complexType name="B"><xs:sequence><xs:element name="c" type="t:C" minOccurs="0"/></xs:sequence></xs:complexType>
                <xs:complexType name="C"><xs:sequence><xs:element name="b" type="t:B"/></xs:sequence></xs:complexType>
                """)
        #expect(swift.has("public var b: B"))
        #expect(swift.has("@Indirect public var c: C?"))
        #expect(swift.has("@Indirect public var b: B"))
    }

    @Test("An enum in a cycle is indirect, and the properties are not")
    func enums() async throws {
        let swift = try await Generated(
            schema: """
                <xs:complexType name="Expression"><xs:choice>
                  <xs:element name="number" type="xs:int"/><xs:element name="negated" type="t:Expression"/>
                </xs:choice></xs:complexType>
                <xs:complexType name="Base"><xs:sequence><xs:element name="inner" type="t:Base" minOccurs="0"/></xs:sequence></xs:complexType>
                <xs:complexType name="Derived"><xs:complexContent><xs:extension base="t:Base"/></xs:complexContent></xs:complexType>
                """)
        #expect(swift.has("public indirect enum Choice: XMLGroup {"))
        #expect(swift.has("public var choice: Choice"))
        #expect(swift.has("public indirect enum AnyBase: XMLCodable {"))
        #expect(swift.has("public var inner: AnyBase?"))
    }

    @Test("A group that contains itself in an element's type has a struct for that type")
    func groups() async throws {
        let swift = try await Generated(
            schema: """
                <xs:group name="expression"><xs:choice><xs:element name="not"><xs:complexType><xs:group ref="t:expression"/>
                </xs:complexType></xs:element><xs:element name="is" type="xs:int"/></xs:choice></xs:group>
                <xs:complexType name="Filter"><xs:group ref="t:expression"/></xs:complexType>
                """)
        #expect(swift.has("public struct ExpressionNot: XMLCodable {"))
        #expect(swift.has("case not(ExpressionNot)"))
        #expect(swift.text.split(separator: "public indirect enum Choice: XMLGroup {").count == 2)
        #expect(swift.text.split(separator: "public enum Choice: XMLGroup {").count == 2)
    }

    @Test("A chain of 3,000 types is processed without recursion")
    func deep() async throws {
        var schema = ""
        for number in 0..<3_000 {
            schema += """
                <xs:complexType name="T\(number)"><xs:sequence><xs:element name="a" type="t:T\((number + 1) % 3_000)" minOccurs="0"/>
                </xs:sequence></xs:complexType>
                """
        }
        let swift = try await Generated(schema: schema)
        #expect(swift.text.split(separator: "@Indirect").count == 3_001)
    }
}
