// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct ServiceReadingTests {
    private func operation(_ document: String) async throws -> WSDLCompiler.Operation {
        let description = try await Recipe.read(document)
        return try #require(description.services.first?.ports.first?.operations.first)
    }

    private func outline(_ body: WSDLCompiler.Operation.Body) -> String {
        switch body {
        case .empty: "empty"
        case .element(let element): element.name.description
        case .parts(let wrapper, let parts):
            "\(wrapper?.description ?? "")(\(parts.map { "\($0.name)=\(Outline.of($0.type))" }.joined(separator: ",")))"
        }
    }

    @Test("A document-style operation has an element, an action and an endpoint") func document() async throws {
        let description = try await Recipe.read(Recipe.description(types: Recipe.inAndOut))
        let port = try #require(description.services.first?.ports.first)
        #expect(port.endpoint == "https://example.com/s" && port.version == .soap11)
        let operation = try #require(port.operations.first)
        #expect(operation.action == "urn:get" && operation.style == .document && operation.faults.isEmpty)
        #expect(outline(operation.input.body) == "{urn:a}In")
        #expect(operation.output.map { outline($0.body) } == "{urn:a}Out")
        #expect(description.warnings.isEmpty)
    }

    struct BodyCase: CustomTestStringConvertible {
        var name: String
        var messages: String
        var binding: String
        var input: String

        var testDescription: String { name }
    }

    @Test("The Body follows the style, the parts and the binding", arguments: bodies) func body(_ each: BodyCase)
        async throws
    {
        let output = "<message name='Out'><part name='p' element='a:Out'/></message>"
        let document = Recipe.description(
            types: Recipe.inAndOut, messages: "<message name='In'>\(each.messages)</message>" + output,
            binding: """
                <binding name='B' type='w:P'>\(each.binding)</binding>
                """)
        #expect(outline(try await operation(document).input.body) == each.input)
    }

    private static func binding(_ style: String, _ input: String) -> String {
        """
        <soap:binding style='\(style)' transport='http://schemas.xmlsoap.org/soap/http'/>
        <operation name='Get'><soap:operation/><input>\(input)</input><output><soap:body use='literal'/></output></operation>
        """
    }

    static let bodies = [
        BodyCase(
            name: "rpc", messages: "<part name='x' type='xs:int'/><part name='y' type='xs:string'/>",
            binding: binding("rpc", "<soap:body use='literal' namespace='urn:r'/>"),
            input: "{urn:r}Get(x=int,y=string)"),
        BodyCase(
            name: "rpc without parts", messages: "",
            binding: binding("rpc", "<soap:body namespace='urn:r' use='literal'/>"),
            input: "{urn:r}Get()"),
        BodyCase(
            name: "document without parts", messages: "", binding: binding("document", "<soap:body use='literal'/>"),
            input: "empty"),
        BodyCase(
            name: "document with a type", messages: "<part name='x' type='xs:int'/>",
            binding: binding("document", "<soap:body use='literal'/>"), input: "(x=int)"),
        BodyCase(
            name: "several parts", messages: "<part name='x' element='a:In'/><part name='y' element='a:Out'/>",
            binding: binding("document", "<soap:body use='literal'/>"), input: "({urn:a}In=string,{urn:a}Out=string)"),
        BodyCase(
            name: "chosen parts", messages: "<part name='x' element='a:In'/><part name='y' element='a:Out'/>",
            binding: binding("document", "<soap:body use='literal' parts='y'/>"), input: "{urn:a}Out"),
        BodyCase(
            name: "a part that is a header",
            messages: "<part name='x' element='a:In'/><part name='y' element='a:Out'/>",
            binding: binding(
                "document", "<soap:body use='literal'/><soap:header message='w:In' part='y' use='literal'/>"),
            input: "{urn:a}In"),
        BodyCase(
            name: "attachments", messages: "<part name='x' element='a:In'/><part name='y' type='xs:base64Binary'/>",
            binding: binding(
                "document",
                """
                <mime:multipartRelated><mime:part><soap:body use='literal'/></mime:part>
                <mime:part><mime:content part='y' type='image/png'/></mime:part></mime:multipartRelated>
                """), input: "{urn:a}In"),
    ]

    @Test("Headers, attachments, encoding and one-way operations are read") func details() async throws {
        let document = Recipe.description(
            types: Recipe.inAndOut,
            messages: """
                <message name='In'><part name='x' type='xs:int'/><part name='y' type='xs:base64Binary'/></message>
                <message name='H'><part name='h' element='a:Out'/></message>
                """,
            portType: "<portType name='P'><operation name='Get'><input message='w:In'/></operation></portType>",
            binding: """
                <binding name='B' type='w:P'>
                <soap12:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
                <operation name='Get'><soap12:operation soapAction='urn:get'/><input>
                <mime:multipartRelated><mime:part><soap12:body use='encoded' namespace='urn:r'/>
                <soap12:header message='w:H' part='h' use='literal'/></mime:part>
                <mime:part><mime:content part='y'/></mime:part></mime:multipartRelated></input></operation></binding>
                """)
        let port = try #require(try await Recipe.read(document).services.first?.ports.first)
        let operation = try #require(port.operations.first)
        #expect(port.version == .soap12 && operation.output == nil && operation.style == .rpc)
        #expect(operation.input.isEncoded && operation.input.attachments == ["y"])
        #expect(operation.input.headers.map(\.name) == [XMLName("Out", in: "urn:a")])
        #expect(outline(operation.input.body) == "{urn:r}Get(x=int)")
    }

    @Test("Overloaded operations are distinguished by the names of input and output") func overloads() async throws {
        let document = Recipe.description(
            types: Recipe.inAndOut,
            portType: """
                <portType name='P'><operation name='Get'><input name='one' message='w:In'/></operation>
                <operation name='Get'><input name='two' message='w:Out'/></operation></portType>
                """,
            binding: """
                <binding name='B' type='w:P'><soap:binding transport='http://schemas.xmlsoap.org/soap/http'/>
                <operation name='Get'><input name='two'><soap:body use='literal'/></input></operation>
                <operation name='Get'><input name='one'><soap:body use='literal'/></input></operation></binding>
                """)
        let operations = try await Recipe.read(document).services.flatMap(\.ports).flatMap(\.operations)
        #expect(operations.map { outline($0.input.body) } == ["{urn:a}Out", "{urn:a}In"])
    }

    @Test("A binding in an imported document is found, and one without a service becomes a service") func imports()
        async throws
    {
        let inner = Recipe.description(types: Recipe.inAndOut, service: "")
        let outer = """
            <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:w="urn:w" targetNamespace="urn:v">
            <import namespace="urn:w" location="inner"/>
            <service name="V"><port name="T" binding="w:B"/></service></definitions>
            """
        let complete = try await Recipe.read(outer, ["inner": inner])
        #expect(complete.services.map(\.name) == [XMLName("V", in: "urn:v")])
        #expect(complete.services.flatMap(\.ports).map(\.operations.count) == [1])
        let part = try await Recipe.read(inner)
        #expect(part.services.map(\.name) == [XMLName("B", in: "urn:w")])
        #expect(part.services.flatMap(\.ports).map(\.endpoint) == [nil])
    }

    @Test("Inline schemas refer to each other without a location, and a type import may name a WSDL")
    func inlineSchemas() async throws {
        let second = """
            <xs:schema targetNamespace="urn:b"><xs:import namespace="urn:a"/><xs:element name="In" type="a:T"/></xs:schema>
            """
        let first = """
            <xs:schema targetNamespace="urn:a"><xs:simpleType name="T"><xs:restriction base="xs:int"/></xs:simpleType>
            <xs:element name="In" type="a:T"/><xs:element name="Out" type="a:T"/></xs:schema>
            """
        let inner = Recipe.description(types: second + first)
        let description = try await Recipe.read(inner)
        #expect(description.schema.elements[XMLName("In", in: "urn:b")].map { Outline.of($0.type) } == "T")
        let importing = """
            <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a">
            <xs:import namespace="urn:a" schemaLocation="inner"/><xs:element name="e" type="a:T"/></xs:schema>
            """
        let outer = try await Recipe.read(importing, ["inner": inner])
        #expect(outer.schema.elements[XMLName("e")].map { Outline.of($0.type) } == "T")
        #expect(outer.services.isEmpty)
    }

    @Test(
        "Common unambiguous mistakes of services are read with a warning",
        arguments: [
            ("type='string'", "there is no string; {http://www.w3.org/2001/XMLSchema}string is used"),
            ("type='xsd:string'", "the prefix xsd is not declared"),
            ("type='T'", "there is no T; {urn:a}T is used"),
        ])
    func liberal(type: String, warning: String) async throws {
        let schema = Recipe.schema(
            "<xs:simpleType name='T'><xs:restriction base='xs:string'/></xs:simpleType><xs:element name='e' \(type)/>")
        let description = try await Recipe.read(schema)
        #expect(description.warnings.map(\.description) == ["main:2: \(warning)"])
    }
}
