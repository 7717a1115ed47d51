// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

@Suite struct AnyTests {
    @Test(
        "A wildcard accepts elements by their namespaces",
        arguments: [
            (XMLWildcard.any, "", true), (.any, "urn:a", true), (.other(than: "urn:a"), "urn:b", true),
            (.other(than: "urn:a"), "urn:a", false), (.other(than: "urn:a"), "", false),
            (.only(["", "urn:a"]), "", true),
            (.only(["", "urn:a"]), "urn:a", true), (.only(["urn:a"]), "urn:b", false), (.only([]), "", false),
        ])
    func wildcards(wildcard: XMLWildcard, namespace: String, accepts: Bool) {
        #expect(wildcard.accepts(namespace) == accepts)
    }

    @Test("Any content is written as it was read") func content() throws {
        let document = """
            <v xmlns:x="\(XMLNamespace.instance)" xmlns:p="urn:p" xmlns:q="urn:q" x:type="p:T" p:a="q:b">one<!-- c -->\
            <![CDATA[<two>]]><p:e f="1">three<g/></p:e>four<h x:type="q:U"/></v>
            """
        let value = try XMLAnyValue.read(document)
        #expect(value.type == XMLName("T", in: "urn:p"))
        #expect(value.attributes == [XMLName("a", in: "urn:p"): "q:b"])
        #expect(value.text == "one<two>four")
        #expect(value.elements.map(\.name) == [XMLName("e", in: "urn:p"), XMLName("h")])
        #expect(value.elements.first?.text == "three")
        let again = try XMLAnyValue.read(value.text("v"))
        #expect(again == value)
        #expect(again.elements.last?.prefixes == ["q": "urn:q"])
        #expect(value.content.count == 4)
    }

    @Test("A prefix can be redeclared within an element if both namespaces are needed") func hiddenPrefixes() throws {
        let element = XMLElementValue(
            XMLName("e", in: "urn:a"), attributes: [XMLName("t", in: "urn:a"): "ns1:x"],
            content: [.element(XMLElementValue(XMLName("f", in: "urn:a"), text: "ns1:y"))], prefixes: ["ns1": "urn:b"])
        var writer = XMLWriter()
        try writer.startElement("r", in: "urn:a")
        try writer.any(element)
        try writer.endElement()
        let root = try XMLAnyValue(xml: writer.bytes)
        let read = try #require(root.elements.first)
        #expect(read == element || read.elements.first?.name == XMLName("f", in: "urn:a"))
        #expect(read.prefixes == ["ns1": "urn:b"])
        #expect(read.name == XMLName("e", in: "urn:a"))
        #expect(read.attributes == element.attributes)
    }

    @Test("Prefixes stay the same when a document is written again") func stablePrefixes() throws {
        let document = """
            <v><v xmlns:p="urn:u"><p:e s="ns1:"/></v><v xmlns:p="urn:m"><p:e/></v></v>
            """
        let written = try XMLAnyValue.read(document).text()
        #expect(try XMLAnyValue.read(written).text() == written)
        #expect(written.contains("<ns1:e xmlns:ns1=\"urn:u\" s=\"ns1:\"/>"))
    }

    @Test("A value of any type is read as the type that it names") func values() throws {
        let item = Item(id: "1", price: 2, note: "<n>")
        let any = try XMLAnyValue(item)
        #expect(any.type == XMLName("Item", in: shop))
        #expect(try any.value(as: Item.self) == item)
        #expect(try XMLAnyValue.read(any.text()) == any)
        #expect(try XMLAnyValue(3).value(as: Int.self) == 3)
        #expect(throws: XMLValueError.self) { try any.value(as: Money.self) }
        let element = try XMLElementValue(XMLName("i", in: shop), item)
        #expect(element.name == XMLName("i", in: shop))
        #expect(try element.value(as: Item.self) == item)
    }

    @Test("An element that a wildcard does not accept is not read") func refusals() throws {
        let order = "<o xmlns='urn:shop'><status>open</status>"
        #expect(throws: XMLValueError.unexpectedElement(XMLName("x", in: shop), at: XMLPlace(path: "o/x", line: 1))) {
            try Order.read(order + "<x/></o>")
        }
        #expect(try Order.read(order + "<x xmlns='urn:x'/><y xmlns='urn:y'/></o>").others.count == 2)
    }

    @Test("Names of elements that cannot be written are an error") func badNames() {
        for name in ["", "a b", "a><b"] {
            #expect(throws: XMLValueError.self) {
                try XMLAnyValue(content: [.element(XMLElementValue(XMLName(name)))]).text()
            }
            #expect(throws: XMLValueError.self) { try XMLAnyValue(attributes: [XMLName(name): "x"]).text() }
        }
        #expect(throws: XMLValueError.self) { try XMLAnyValue(prefixes: ["p q": "urn:p"]).text() }
        #expect(throws: XMLValueError.self) { try XMLAnyValue(prefixes: ["": "urn:p"]).text() }
        #expect(throws: XMLValueError.self) { try XMLAnyValue(attributes: [XMLName("xmlns"): "urn:p"]).text() }
    }

    @Test("A type without a prefix keeps the default namespace") func typeInDefaultNamespace() throws {
        let document = """
            <v><e xmlns="urn:a" xmlns:x="\(XMLNamespace.instance)" x:type=" T "/></v>
            """
        let element = try #require(try XMLAnyValue.read(document).elements.first)
        #expect(try element.value(as: XMLAnyValue.self).type == XMLName("T", in: "urn:a"))
    }

    @Test("A text with comments inside is read as one text") func commentedText() throws {
        #expect(try XMLAnyValue.read("<v>a<!-- -->b<![CDATA[c]]><d/>e</v>").content.first == .text("abc"))
        #expect(try String.read("<v>a<!-- -->b<![CDATA[c]]></v>") == "abc")
    }
}
