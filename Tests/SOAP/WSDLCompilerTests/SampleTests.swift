// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct SampleTests {
    @Test(
        "A text generated from a pattern matches it, and another one does not",
        arguments: [
            ("[A-Z]{3}", "a"), ("\\d{5,15}", "1234"), ("(a|b)c*", "d"), ("[a-z-[aeiou]]", "e"), ("[^a]+", "a"),
            ("\\p{Lu}\\p{Ll}+", "Aa1"), ("[0-9]{4}-[0-9]{2}", "2024-1"), ("\\S+@\\S+\\.[a-z]{2,}", "a@b"),
            ("\\i\\c*", "-a"), (".{0,3}", "abcd"), ("(\\+|-)?[0-9]+", "+"), ("[\\-a]", "b"), ("a.c", "a\nc"),
            ("x{2}", "xxx"),
            ("[\\w]{2}", "__"), ("([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", "00:11"),
        ])
    func pattern(_ text: String, other: String) throws {
        let pattern = try #require(Pattern(text))
        let sample = try #require(pattern.sample())
        #expect(pattern.matches(sample) == true, "\(sample)")
        #expect(pattern.matches(other) == false)
    }

    @Test("A malformed pattern is refused", arguments: ["(", "[a", "a{2", "*", "a)", "\\p{Xx}", "a{3,2}", "]"])
    func malformed(_ text: String) { #expect(Pattern(text) == nil) }

    @Test(
        "A quantifier of any size is read, and the length of a sample is limited",
        arguments: [
            ("b{9223372036854775807,}", 0), ("a|b{9223372036854775807}", 2), ("b{99999999999999999999}", 1),
            ("((a{10000}){10000}){10000}", 0), ("x|((a{10000}){10000}){10000}", 9_000),
            ("(a{0,10000}){0,10000}", 9_000),
        ])
    func quantifiers(_ text: String, length: Int) throws {
        let pattern = try #require(Pattern(text))
        #expect(pattern.sample(length: length).map { $0.count <= 100_000 } ?? true)
        #expect(pattern.matches("a") != nil)
    }

    @Test("A match that takes too many steps is abandoned") func costly() throws {
        let pattern = try #require(Pattern(String(repeating: "(a*)*", count: 30)))
        #expect(pattern.matches(String(repeating: "a", count: 5_000) + "b") != true)
    }

    @Test(
        "A sample matches the facets of its type",
        arguments: [
            (
                "<xs:restriction base='xs:string'><xs:enumeration value='x'/><xs:enumeration value='y'/></xs:restriction>",
                "x"
            ),
            ("<xs:restriction base='xs:string'><xs:length value='6'/></xs:restriction>", "textxx"),
            ("<xs:restriction base='xs:string'><xs:maxLength value='2'/></xs:restriction>", "te"),
            ("<xs:restriction base='xs:string'><xs:pattern value='[A-Z]{2}'/></xs:restriction>", "AA"),
            (
                "<xs:restriction base='xs:string'><xs:pattern value='a*'/><xs:minLength value='3'/></xs:restriction>",
                "aaa"
            ),
            ("<xs:restriction base='xs:int'><xs:minInclusive value='5'/></xs:restriction>", "5"),
            ("<xs:restriction base='xs:int'><xs:minExclusive value='5'/></xs:restriction>", "6"),
            ("<xs:restriction base='xs:int'><xs:maxExclusive value='-5'/></xs:restriction>", "-6"),
            (
                "<xs:restriction base='xs:decimal'><xs:minExclusive value='0'/><xs:maxExclusive value='1'/><xs:fractionDigits value='1'/></xs:restriction>",
                "0.1"
            ),
            ("<xs:restriction base='xs:negativeInteger'/>", "-1"),
            ("<xs:restriction base='xs:date'/>", "2024-02-29"),
            ("<xs:restriction base='xs:hexBinary'><xs:length value='2'/></xs:restriction>", "0A0A"),
            ("<xs:restriction base='xs:base64Binary'><xs:length value='1'/></xs:restriction>", "QQ=="),
            ("<xs:list itemType='xs:int'/>", "1"),
            ("<xs:union memberTypes='xs:boolean xs:int'/>", "true"),
            (
                "<xs:restriction><xs:simpleType><xs:list itemType='xs:int'/></xs:simpleType><xs:length value='3'/></xs:restriction>",
                "1 1 1"
            ),
        ])
    func facets(type: String, value: String) async throws {
        let tree = try await sample(
            "<xs:element name='In'><xs:simpleType>\(type)</xs:simpleType></xs:element>", .minimal)
        #expect(tree.contains(">\(value)</ns1:In>"), "\(tree)")
    }

    private func sample(_ types: String, _ variant: SampleVariant) async throws -> String {
        let description = try await Recipe.read(
            Recipe.description(types: Recipe.schema(types + "<xs:element name='Out'/>")))
        let operation = try #require(description.services.first?.ports.first?.operations.first)
        let bytes = try SampleRequest(of: operation, in: description.schema).envelopeBody(variant)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
    }

    @Test("A minimal sample has only required parts, and a full one all parts without recursion")
    func variants() async throws {
        let types = """
            <xs:element name="In" type="a:T"/><xs:complexType name="T"><xs:sequence>
            <xs:element name="a" type="xs:int" default="7"/><xs:element name="b" type="xs:int" minOccurs="0" fixed="9"/>
            <xs:choice><xs:element name="deep" type="a:T"/><xs:element name="flat" type="xs:boolean"/></xs:choice>
            <xs:element name="again" type="a:T" minOccurs="0"/></xs:sequence>
            <xs:attribute name="x" type="xs:int" use="required"/><xs:attribute name="y" type="xs:int"/></xs:complexType>
            """
        let minimal = try await sample(types, .minimal)
        #expect(minimal.contains(#"x="1""#) && !minimal.contains(#"y="1""#))
        #expect(minimal.contains("<ns1:a>7</ns1:a>") && !minimal.contains("<ns1:b>"))
        let full = try await sample(types, .full)
        #expect(full.contains(#"y="1""#) && full.contains("<ns1:b>9</ns1:b>") && !full.contains("again"))
        #expect(full.contains("<ns1:flat>true</ns1:flat>"))
    }

    @Test("Samples contain substitutes for abstract types, abstract elements and wildcards") func replacements()
        async throws
    {
        let types = """
            <xs:element name="In"><xs:complexType><xs:sequence><xs:element name="s" type="a:S"/><xs:element ref="a:h"/>
            <xs:any namespace="##other" processContents="lax"/><xs:element name="self" type="a:L" nillable="true"/>
            </xs:sequence></xs:complexType></xs:element>
            <xs:complexType name="S" abstract="true"/><xs:complexType name="C"><xs:complexContent><xs:extension base="a:S"/>
            </xs:complexContent></xs:complexType>
            <xs:complexType name="L"><xs:sequence><xs:element name="l" type="a:L"/></xs:sequence></xs:complexType>
            <xs:element name="h" abstract="true"/><xs:element name="m" substitutionGroup="a:h" type="xs:int"/>
            """
        let sample = try await sample(types, .minimal)
        #expect(
            sample.contains(#"<ns1:s xsi:type="ns1:C"/><ns1:m>1</ns1:m><ns2:any/><ns1:self xsi:nil="true"/>"#),
            "\(sample)")
    }

    @Test("A type that must contain itself has no sample") func endless() async throws {
        let types = """
            <xs:element name="In" type="a:L"/>
            <xs:complexType name="L"><xs:sequence><xs:element name="l" type="a:L"/></xs:sequence></xs:complexType>
            """
        await #expect(throws: WSDLCompilerError.self) { try await sample(types, .minimal) }
    }
}
