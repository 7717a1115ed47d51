// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

/// Tests of the SOAP encoding: type attributes, arrays and references.
@Suite struct EncodedTests {
    private static let prefixes = [
        ("xsi", XMLNamespace.instance), ("xsd", XMLNamespace.schema), ("soapenc", XMLNamespace.encoding11),
        ("s", shop),
    ]

    private func write(_ encoding: SOAPEncoding, _ value: some XMLCodable) throws -> String {
        var writer = XMLWriter(prefixes: Self.prefixes, encoding: encoding)
        try writer.startElement("r")
        try writer.element("a", value)
        try writer.endElement()
        return String(writer.text.dropFirst(writer.text.prefix { $0 != ">" }.count + 1).dropLast(4))
    }

    @Test("A value has a type attribute") func types() throws {
        #expect(try write(.soap11, Int32(1)) == "<a xsi:type=\"xsd:int\">1</a>")
        #expect(try write(.literal, Int32(1)) == "<a>1</a>")
        #expect(
            try write(.soap11, Item(id: "1", price: 2)) == """
                <a xsi:type="s:Item" id="1" unit="kg"><s:count xsi:type="xsd:int">1</s:count>\
                <s:price xsi:type="xsd:decimal">2</s:price></a>
                """)
        #expect(try write(.soap11, Folder(name: "x")) == "<a><name xsi:type=\"xsd:string\">x</name></a>")
    }

    @Test("An array has the type and the number of its items") func arrays() throws {
        let array: XMLSOAPArray<Int32> = [1, 2]
        #expect(
            try write(.soap11, array) == """
                <a xsi:type="soapenc:Array" soapenc:arrayType="xsd:int[2]">\
                <item xsi:type="xsd:int">1</item><item xsi:type="xsd:int">2</item></a>
                """)
        let nested: XMLSOAPArray<XMLSOAPArray<String>> = [["a"], []]
        #expect(try write(.soap11, nested).contains("soapenc:arrayType=\"xsd:string[][2]\""))
        #expect(try write(.soap11, nested).contains("soapenc:arrayType=\"xsd:string[0]\""))
        #expect(try write(.soap12, array).contains("xsi:type=\"enc:Array\""))
        #expect(try write(.soap12, array).contains("enc:itemType=\"xsd:int\" enc:arraySize=\"2\""))
        #expect(try XMLSOAPArray<XMLSOAPArray<String>>.read(nested.text()) == nested)
        #expect(try XMLSOAPArray<Int32>.read("<v><x>1</x><y>2</y></v>") == array)
    }

    @Test("An array that is sparse or partly transmitted is refused", arguments: ["offset", "position"])
    func partial(attribute: String) throws {
        let array = attribute == "offset" ? "v e:offset='[1]'" : "v"
        let item = attribute == "offset" ? "i" : "i e:position='[1]'"
        #expect(throws: XMLValueError.self) {
            try XMLSOAPArray<Int>.read(
                "<\(array) xmlns:e='\(XMLNamespace.encoding11)'><\(item) xmlns:e='\(XMLNamespace.encoding11)'>1</i></v>"
            )
        }
    }

    @Test("An array can contain null items") func nulls() throws {
        let text = "<v xmlns:x='\(XMLNamespace.instance)'><i>1</i><i x:nil='true'/></v>"
        #expect(throws: XMLValueError.unexpectedNull(at: XMLPlace(path: "v/i", line: 1))) {
            try XMLSOAPArray<Int>.read(text)
        }
    }

    /// Reads the element `a` of a document's first element.
    private func read<Value: XMLCodable>(_ body: String, maximum: Int = 100) throws -> Value {
        let text = "<b xmlns:x='\(XMLNamespace.instance)' xmlns:e='\(XMLNamespace.encoding12)'>\(body)</b>"
        let tree = try XMLTree(parsing: Array(text.utf8), limits: XMLLimits())
        let references = try XMLReferences(in: tree, following: maximum)
        var reader = try XMLReader(tree.root.children[0], of: tree, references: references)
        return try reader.element("a")
    }

    @Test("A reference is the element that it refers to") func references() throws {
        let folder: Folder = try read(
            """
            <r><a href="#1"/></r><m id="1"><name href="#2"/><parent href="#3"/></m><m id="2">x</m>\
            <m id="3"><name href="#2"/></m>
            """)
        #expect(folder == Folder(name: "x", parent: Folder(name: "x")))
        let text: String = try read("<r><a e:ref='1'/></r><m e:id='1'>y</m>")
        #expect(text == "y")
        let name: XMLName = try read("<r xmlns:p='urn:wrong'><a href='#1'/></r><m id='1' xmlns:p='urn:p'>p:n</m>")
        #expect(name == XMLName("n", in: "urn:p"))
        let null: Folder = try read("<r><a><name>x</name><next href='#1'/></a></r><m id='1' x:nil='1'/>")
        #expect(null.$next == .null)
    }

    @Test("References that are dangling, circular or too many are refused") func badReferences() {
        #expect(throws: XMLValueError.missingReference("1", at: XMLPlace(path: "b/r/a", line: 1))) {
            let _: String = try self.read("<r><a href='#1'/></r>")
        }
        #expect(throws: XMLValueError.circularReference("1", at: XMLPlace(path: "b/m/parent", line: 1))) {
            let _: Folder = try self.read("<r><a href='#1'/></r><m id='1'><name>x</name><parent href='#1'/></m>")
        }
        #expect(throws: XMLValueError.circularReference("1", at: XMLPlace(path: "b/m", line: 1))) {
            let _: Folder = try self.read("<r><a href='#1'/></r><m id='1' href='#1'/>")
        }
        #expect(throws: XMLValueError.repeatedIdentifier("1", at: XMLPlace(path: "b/m", line: 1))) {
            let _: String = try self.read("<r><a href='#1'/></r><m id='1'/><m id='1'/>")
        }
        // Each array has ten references to the next array.
        let bomb = (1...9).map { number in
            "<m id='\(number)'>" + String(repeating: "<i href='#\(number + 1)'/>", count: 10) + "</m>"
        }
        #expect(throws: XMLValueError.self) {
            let _: XMLSOAPArray<XMLSOAPArray<XMLSOAPArray<XMLSOAPArray<String>>>> = try self.read(
                "<r><a href='#1'/></r>\(bomb.joined())<m id='10'>x</m>", maximum: 1_000)
        }
    }

    @Test("The expansion of references is limited, even in a small message") func amplification() throws {
        let items = String(repeating: "<i>1</i>", count: 60)
        let body = "<r><a><i href='#t'/><i href='#t'/></a></r><t id='t'>\(items)</t>"
        let array: XMLSOAPArray<XMLSOAPArray<Int>> = try read(body, maximum: 2)
        #expect(array.items.map(\.items.count) == [60, 60])
        #expect(throws: XMLValueError.tooManyReferences(limit: 2, at: XMLPlace(path: "b/r/a/i", line: 1))) {
            let _: XMLSOAPArray<XMLSOAPArray<Int>> = try read(
                body.replacing("</t>", with: String(repeating: "<i>1</i>", count: 60) + "</t>"), maximum: 2)
        }
    }
}
