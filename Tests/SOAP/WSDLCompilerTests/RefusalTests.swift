// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct RefusalTests {
    struct Case: CustomTestStringConvertible {
        var code: String
        var document: String
        /// A part of the error message.
        var message: String

        var testDescription: String { "\(code): \(message)" }
    }

    @Test("A problem is reported with its code, document and line", arguments: cases) func refusal(_ each: Case)
        async throws
    {
        let error = await Recipe.failure(each.document)
        #expect(error?.code == each.code)
        let message = error?.explanation.message ?? ""
        #expect(message.contains(each.message), "\(message)")
        #expect(message.contains(/main:\d+/), "\(message)")
    }

    static let cases = [
        Case(code: "wsdl.malformed", document: "<definitions>", message: "main:1"),
        Case(code: "wsdl.malformed", document: "<!DOCTYPE a><a/>", message: "document type"),
        Case(code: "wsdl.not-a-description", document: "<html/>", message: "main:1: the element is html"),
        Case(
            code: "wsdl.unresolved",
            document: Recipe.schema(
                "<xs:element name='e' type='a:Tipe'/><xs:simpleType name='Type'><xs:restriction base='xs:int'/></xs:simpleType>"
            ),
            message: "main:2: there is no type {urn:a}Tipe; {urn:a}Type is similar"),
        Case(
            code: "wsdl.unresolved",
            document: Recipe.schema(
                "<xs:complexType name='T'><xs:sequence>\n<xs:element ref='a:x'/>\n<xs:group ref='a:g'/></xs:sequence><xs:attribute ref='a:y'/></xs:complexType>"
            ),
            message: "main:3: there is no element {urn:a}x; main:4: there is no group {urn:a}g"),
        Case(
            code: "wsdl.unresolved",
            document: Recipe.description(
                types: Recipe.inAndOut, service: "<service name='S'><port name='T' binding='w:C'/></service>"),
            message: "there is no binding {urn:w}C; {urn:w}B is similar"),
        Case(
            code: "wsdl.unresolved",
            document: Recipe.description(types: Recipe.inAndOut, portType: "<portType name='Q'/>"),
            message: "there is no port type {urn:w}P; {urn:w}Q is similar"),
        Case(
            code: "wsdl.unresolved",
            document: Recipe.description(types: Recipe.inAndOut, messages: "<message name='In'/>"),
            message: "there is no message {urn:w}Out"),
        Case(
            code: "wsdl.part-type",
            document: Recipe.description(
                types: Recipe.inAndOut,
                messages:
                    "<message name='In'><part name='p' element='a:In' type='xs:int'/></message><message name='Out'/>"),
            message: "has both an element and a type"),
        Case(
            code: "wsdl.part-type",
            document: Recipe.description(
                types: Recipe.inAndOut, messages: "<message name='In'><part name='p'/></message><message name='Out'/>"),
            message: "has neither an element nor a type"),
        Case(
            code: "wsdl.missing-attribute", document: Recipe.schema("<xs:complexType/>"),
            message: "complexType has no attribute name"),
        Case(
            code: "wsdl.missing-element", document: Recipe.schema("<xs:simpleType name='T'/>"),
            message: "simpleType has no element restriction"),
        Case(
            code: "schema.invalid-value",
            document: Recipe.schema("<xs:complexType name='T'><xs:sequence minOccurs='-1'/></xs:complexType>"),
            message: "minOccurs cannot be \"-1\""),
        Case(
            code: "schema.circular",
            document: Recipe.schema(
                "<xs:complexType name='T'><xs:complexContent><xs:extension base='a:T'/></xs:complexContent></xs:complexType>"
            ),
            message: "the type {urn:a}T is derived from itself"),
        Case(
            code: "schema.circular",
            document: Recipe.schema(
                "<xs:group name='g'><xs:sequence><xs:group ref='a:g'/></xs:sequence></xs:group><xs:complexType name='T'><xs:group ref='a:g'/></xs:complexType>"
            ),
            message: "the group {urn:a}g"),
        Case(
            code: "schema.circular",
            document: Recipe.schema("<xs:simpleType name='T'><xs:list itemType='a:T'/></xs:simpleType>"),
            message: "the type {urn:a}T"),
        Case(
            code: "schema.not-simple",
            document: Recipe.schema(
                "<xs:complexType name='C'/><xs:simpleType name='T'><xs:list itemType='a:C'/></xs:simpleType>"),
            message: "{urn:a}C is a complex type"),
    ]

    @Test(
        "A name that is invalid in XML is refused, because it would appear in source code",
        arguments: [
            ("<xs:element name='Out'", "<xs:element name='\(forged)'"),
            ("element name='x'", "element name='\(forged)'"),
            ("attribute name='y'", "attribute name='\(forged)'"),
            ("complexType name='T'", "complexType name='\(forged)'"),
            ("<service name='S'", "<service name='\(forged)'"), ("part name='p'", "part name='\(forged)'"),
            ("fault name='F'", "fault name='\(forged)'"), ("operation name='Get'", "operation name='\(forged)'"),
            ("<service name='S'", "<service name='a:b'"), ("complexType name='T'", "complexType name=''"),
        ])
    func forgedName(original: String, replacement: String) async {
        let document = Recipe.description(
            types: Recipe.schema(
                """
                <xs:element name='In' type='a:T'/><xs:element name='Out' type='a:T'/>
                <xs:complexType name='T'><xs:sequence><xs:element name='x'/></xs:sequence><xs:attribute name='y'/></xs:complexType>
                """),
            portType: """
                <portType name='P'><operation name='Get'><input message='w:In'/><output message='w:Out'/>
                <fault name='F' message='w:Out'/></operation></portType>
                """)
        #expect(document.contains(original))
        #expect(await Recipe.failure(document) == nil)
        let error = await Recipe.failure(document.replacing(original, with: replacement))
        #expect(error?.code == "schema.invalid-value")
    }

    /// A name that ends a comment and continues with source code.
    private static let forged = "a&#10;let pwned = evil()&#10;//"

    @Test("All missing documents are listed with the positions of their imports") func missing() async throws {
        let document = Recipe.schema(
            """
            <xs:import namespace="urn:b" schemaLocation="http://other.example/b.xsd"/>
            <xs:include schemaLocation="c.xsd"/>
            <xs:element name="e" type="b:T" xmlns:b="urn:b"/>
            """)
        let error = await Recipe.failure(document)
        guard case .missingDocuments(let documents, let unresolved)? = error else { throw NoFile() }
        #expect(documents.map(\.document) == ["http://other.example/b.xsd", "c.xsd"])
        #expect(documents.map(\.location.line) == [2, 3])
        #expect(documents.map(\.cause) == [.remote, .source(problem: "There is no such document")])
        #expect(unresolved.map(\.name) == [XMLName("T", in: "urn:b")])
    }

    @Test("A missing document that is not needed is a warning") func notNeeded() async throws {
        let document = Recipe.schema("<xs:import namespace='urn:b' schemaLocation='b.xsd'/><xs:element name='e'/>")
        let description = try await Recipe.read(document)
        #expect(description.warnings.map(\.location.line) == [2])
    }

    @Test(
        "A catalogue names a document by its location or its namespace", arguments: ["http://b.example/b.xsd", "urn:b"])
    func catalogue(key: String) async throws {
        var options = DescriptionOptions()
        options.catalogue = [key: "local.xsd"]
        let document = Recipe.schema(
            "<xs:import namespace='urn:b' schemaLocation='http://b.example/b.xsd'/><xs:element name='e' type='b:T' xmlns:b='urn:b'/>"
        )
        let other = """
            <schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b"><complexType name="T"/></schema>
            """
        let description = try await Recipe.read(document, ["local.xsd": other], options: options)
        #expect(description.schema.types[XMLName("T", in: "urn:b")] != nil)
    }

    @Test("A remote document may import documents of its host only, not files") func remote() async throws {
        let main = Recipe.schema(
            """
            <xs:include schemaLocation="b.xsd"/><xs:include schemaLocation="file:///etc/passwd"/>
            <xs:include schemaLocation="http://i.example/c.xsd"/><xs:element name="e" type="a:No"/>
            """)
        let asked = Asked()
        let source = ClosureSource { identifier in
            await asked.add(identifier)
            guard identifier == "http://h.example/a.xsd" else { throw NoFile() }
            return Array(main.utf8)
        }
        let error = await Recipe.failure("http://h.example/a.xsd", from: source)
        #expect(await asked.identifiers == ["http://h.example/a.xsd", "http://h.example/b.xsd"])
        guard case .missingDocuments(let documents, _)? = error else { throw NoFile() }
        #expect(documents.map(\.cause) == [.source(problem: "there is no such file"), .local, .remote])
    }

    private actor Asked {
        var identifiers: [String] = []

        func add(_ identifier: String) { identifiers.append(identifier) }
    }

    @Test("An endless series of documents, and groups that grow exponentially, are refused") func bounds() async throws
    {
        let source = ClosureSource { identifier in
            Array(Recipe.schema("<xs:include schemaLocation='\(identifier)x'/>").utf8)
        }
        let endless = await Recipe.failure("a", from: source)
        #expect(endless?.code == "wsdl.too-many-documents")
        let groups = (1..<40).map {
            "<xs:group name='g\($0)'><xs:sequence><xs:group ref='a:g\($0 - 1)'/><xs:group ref='a:g\($0 - 1)'/></xs:sequence></xs:group>"
        }
        let bomb = Recipe.schema(
            "<xs:group name='g0'><xs:sequence><xs:element name='e'/></xs:sequence></xs:group>" + groups.joined()
                + "<xs:complexType name='T'><xs:group ref='a:g39'/></xs:complexType>")
        var options = DescriptionOptions()
        options.maximumPartCount = 10_000
        let error = await Recipe.failure(bomb, options: options)
        #expect(error?.code == "schema.too-complex")
    }

    @Test("On request, operations with missing components are omitted") func leavesOut() async throws {
        var options = DescriptionOptions()
        options.omitsBrokenOperations = true
        let document = Recipe.description(types: Recipe.schema("<xs:element name='In'/>"))
        let description = try await Recipe.read(document, options: options)
        #expect(description.services.flatMap(\.ports).map(\.operations.count) == [0])
        #expect(description.warnings.map(\.kind).count == 1)
    }
}
