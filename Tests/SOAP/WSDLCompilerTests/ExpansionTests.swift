// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Testing
import WSDLCompiler
import XMLDocuments

@Suite struct ExpansionTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var document: String

        var testDescription: String { name }
    }

    @Test("Expanded components count toward the limit", arguments: cases) func counted(_ each: Case) async {
        var options = DescriptionOptions()
        options.maximumPartCount = 1_000
        let error = await Recipe.failure(each.document, options: options)
        #expect(error?.code == "schema.too-complex")
    }

    static let cases = [
        Case(name: "groups that hold nothing", document: nested("group")),
        Case(name: "groups of attributes that hold nothing", document: nested("attributeGroup")),
        Case(
            name: "inherited attributes",
            document: chain(of: 100) { "<xs:attribute name='a\($0)'/>" }),
        Case(name: "derivations of derivations", document: chain(of: 100) { _ in "" }),
        Case(
            name: "substitutions of substitutions",
            document: Recipe.schema(
                (0..<100).map {
                    "<xs:element name='e\($0)'\($0 == 0 ? "" : " substitutionGroup='a:e\($0 - 1)'")/>"
                }.joined())),
        Case(
            name: "the elements of a group's anonymous types",
            document: Recipe.schema(
                """
                <xs:group name='g'><xs:sequence><xs:element name='e'><xs:complexType><xs:sequence>
                \((0..<100).map { "<xs:element name='e\($0)'/>" }.joined())
                </xs:sequence></xs:complexType></xs:element></xs:sequence></xs:group>
                \((0..<20).map { "<xs:complexType name='T\($0)'><xs:group ref='a:g'/></xs:complexType>" }.joined())
                """)),
        Case(
            name: "a binding of many ports",
            document: Recipe.description(
                types: Recipe.inAndOut,
                portType: "<portType name='P'>\(operations { "<input message='w:In'/>" })</portType>",
                binding: """
                    <binding name='B' type='w:P'><soap:binding transport='http://schemas.xmlsoap.org/soap/http'/>
                    \(operations { "<input><soap:body use='literal'/></input>" })</binding>
                    """,
                service:
                    "<service name='S'>\((0..<50).map { "<port name='T\($0)' binding='w:B'/>" }.joined())</service>")),
        Case(
            name: "a message of many operations",
            document: Recipe.description(
                types: Recipe.inAndOut,
                messages:
                    "<message name='In'>\((0..<50).map { "<part name='p\($0)' type='xs:int'/>" }.joined())</message>",
                portType: "<portType name='P'>\(operations { "<input message='w:In'/>" })</portType>",
                binding: """
                    <binding name='B' type='w:P'><soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
                    \(operations { "<input><soap:body use='literal'/></input>" })</binding>
                    """)),
    ]

    /// Returns twenty groups, each of which refers to the previous one twice.
    private static func nested(_ kind: String) -> String {
        let groups = (0...20).map { number in
            let reference = number == 0 ? "" : "<xs:\(kind) ref='a:g\(number - 1)'/>"
            let content = reference + reference
            return "<xs:\(kind) name='g\(number)'>"
                + (kind == "group" ? "<xs:sequence>\(content)</xs:sequence>" : content) + "</xs:\(kind)>"
        }
        return Recipe.schema(
            groups.joined() + "<xs:complexType name='T'><xs:\(kind) ref='a:g20'/></xs:complexType>")
    }

    /// Returns types, each of which extends the previous one.
    private static func chain(of count: Int, content: (Int) -> String) -> String {
        let derived = (1..<count).map {
            """
            <xs:complexType name='T\($0)'><xs:complexContent><xs:extension base='a:T\($0 - 1)'>\(content($0))</xs:extension>
            </xs:complexContent></xs:complexType>
            """
        }
        return Recipe.schema("<xs:complexType name='T0'>\(content(0))</xs:complexType>" + derived.joined())
    }

    private static func operations(_ content: () -> String) -> String {
        (0..<50).map { "<operation name='o\($0)'>\(content())</operation>" }.joined()
    }

    @Test("The first redefinition of a name is used, and nested redefinitions are limited")
    func redefinitions() async throws {
        func type(_ attribute: String) -> String {
            """
            <xs:complexType name='T'><xs:complexContent><xs:extension base='a:T'><xs:attribute name='\(attribute)'/>
            </xs:extension></xs:complexContent></xs:complexType>
            """
        }
        func redefine(_ content: String) -> String {
            "<xs:redefine schemaLocation='old'>\(content)</xs:redefine>"
        }
        let others = ["old": Recipe.schema("<xs:complexType name='T'/>")]
        let many = String(repeating: type("x"), count: 20_000)
        let description = try await Recipe.read(Recipe.schema(redefine(type("first") + many)), others)
        let redefined = Outline.of(description.schema.types[XMLName("T", in: "urn:a")])
        #expect(redefined == "@first=anySimpleType")
        #expect(description.warnings.count == 20_000)
        let chain = (0..<20_000).map { redefine(type("x\($0)")) }.joined()
        let error = await #expect(throws: WSDLCompilerError.self) {
            try await Recipe.read(Recipe.schema(chain), others)
        }
        #expect(error?.code == "schema.too-complex")
    }
}
