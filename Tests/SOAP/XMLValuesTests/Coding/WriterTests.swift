// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

@Suite struct WriterTests {
    @Test(
        "Escaped texts are equal when read again",
        arguments: [
            (text: "a<b>&\"'c", content: "a&lt;b&gt;&amp;\"'c", attribute: "a&lt;b&gt;&amp;&quot;'c"),
            (text: "\t\n\r\r\n", content: "\t\n&#13;&#13;\n", attribute: "&#9;&#10;&#13;&#13;&#10;"),
            (text: "]]>", content: "]]&gt;", attribute: "]]&gt;"),
            (text: "ä €𝄞\u{FFFD}\u{85}", content: "ä €𝄞\u{FFFD}\u{85}", attribute: "ä €𝄞\u{FFFD}\u{85}"),
            (text: "ﻭ\u{EFBF}", content: "ﻭ\u{EFBF}", attribute: "ﻭ\u{EFBF}"),
        ])
    func escapes(text: String, content: String, attribute: String) throws {
        var writer = XMLWriter()
        try writer.startElement("e")
        try writer.attribute("a", text)
        try writer.text(text)
        try writer.endElement()
        #expect(writer.text == "<e a=\"\(attribute)\">\(content)</e>")
        let read = try XMLElementValue.read(writer.bytes)
        #expect(read.attributes == [XMLName("a"): text])
        #expect(read.text == text)
    }

    @Test(
        "Characters that XML cannot represent are an error",
        arguments: ["\u{0}", "a\u{1}", "\u{B}x", "\u{1F}", "\u{FFFE}", "<\u{FFFF}"])
    func characters(text: String) throws {
        #expect(throws: XMLValueError.self) { try text.text() }
        var writer = XMLWriter()
        try writer.startElement("e")
        let scalar = try #require(text.unicodeScalars.first { $0.value < 32 || $0.value > 0xFFF0 }?.value)
        #expect(throws: XMLValueError.character(scalar, at: XMLPlace(path: "e", line: nil))) {
            try writer.attribute("a", text)
        }
    }

    @Test("Namespaces are declared with prefixes where they are first used, without a default namespace")
    func prefixes() throws {
        var writer = XMLWriter(prefixes: [("s", "urn:s")])
        try writer.startElement("Envelope", in: "urn:s")
        try writer.element("a", in: "urn:a", "1")
        try writer.element("b", in: "urn:b", "2")
        try writer.startElement("a", in: "urn:a")
        try writer.element("c", "3")
        try writer.element("b", in: "urn:b", "4")
        try writer.startElement("d")
        try writer.attribute("id", in: "urn:b", "5")
        try writer.endElement()
        try writer.endElement()
        try writer.endElement()
        #expect(
            writer.text == """
                <s:Envelope xmlns:s="urn:s"><ns1:a xmlns:ns1="urn:a">1</ns1:a><ns2:b xmlns:ns2="urn:b">2</ns2:b>\
                <ns1:a xmlns:ns1="urn:a"><c>3</c><ns2:b xmlns:ns2="urn:b">4</ns2:b>\
                <d xmlns:ns2="urn:b" ns2:id="5"/></ns1:a></s:Envelope>
                """)
    }

    @Test("A qualified name in a text declares its prefix") func names() throws {
        let list: XMLList = [XMLName("a", in: "urn:a"), XMLName("b"), XMLName("c", in: "urn:c")]
        #expect(try list.text() == "<v xmlns:ns1=\"urn:a\" xmlns:ns2=\"urn:c\">ns1:a b ns2:c</v>")
        #expect(try XMLList<XMLName>.read(list.text()) == list)
        var writer = XMLWriter()
        try writer.startElement("e")
        try writer.text("x")
        #expect(throws: XMLValueError.misplaced(at: XMLPlace(path: "e", line: nil))) {
            try writer.text(XMLName("a", in: "urn:a"))
        }
    }

    @Test("The namespace xml has its own prefix") func xmlNamespace() throws {
        var writer = XMLWriter()
        try writer.startElement("e")
        try writer.attribute("lang", in: XMLNamespace.xml, "de")
        try writer.endElement()
        #expect(writer.text == "<e xml:lang=\"de\"/>")
    }

    @Test(
        "Names that XML does not allow are an error",
        arguments: ["", "a b", "1a", "a:b", "a>", "-a", "a\u{0}", "xmlns=\"\""])
    func badNames(name: String) throws {
        #expect(throws: XMLValueError.name(name)) { try "x".text(name) }
        var writer = XMLWriter()
        try writer.startElement("e")
        #expect(throws: XMLValueError.self) { try writer.attribute(name, "x") }
    }

    @Test("Namespaces that cannot be declared are an error", arguments: [XMLNamespace.declarations])
    func badNamespaces(namespace: String) {
        #expect(throws: XMLValueError.self) { try "x".text("e", in: namespace) }
    }

    @Test("An attribute is written once and before content") func attributes() throws {
        var writer = XMLWriter()
        try writer.startElement("e")
        try writer.attribute("a", "1")
        #expect(throws: XMLValueError.self) { try writer.attribute("a", "2") }
        try writer.text("x")
        #expect(throws: XMLValueError.self) { try writer.attribute("b", "2") }
    }

    @Test("There is one root element, which contains all texts") func root() throws {
        var writer = XMLWriter()
        #expect(throws: XMLValueError.self) { try writer.text("x") }
        try writer.element("a", "1")
        #expect(throws: XMLValueError.self) { try writer.element("b", "1") }
        #expect(throws: XMLValueError.self) { try writer.endElement() }
    }

    @Test("Absent, null and present elements differ") func nillable() throws {
        var item = Item(id: "1", price: 1)
        let start = """
            <ns1:v xmlns:ns1="urn:shop" id="1" unit="kg"><ns1:count>1</ns1:count><ns1:price>1</ns1:price>
            """
        #expect(try item.text(in: shop) == start + "</ns1:v>")
        item.$note = .null
        let null = "<ns1:note xmlns:xsi=\"\(XMLNamespace.instance)\" xsi:nil=\"true\"/></ns1:v>"
        #expect(try item.text(in: shop) == start + null)
        #expect(try Item.read(item.text()) == item)
        item.note = ""
        #expect(try item.text(in: shop) == start + "<ns1:note/></ns1:v>")
        #expect(try Item.read(item.text()).$note == .value(""))
        item.note = nil
        #expect(item.$note == .absent)
    }

    @Test("The depth of recursive values is limited") func depth() throws {
        var folder = Folder(name: "0")
        for number in 1..<125 { folder = Folder(name: "\(number)", parent: folder) }
        #expect(try Folder.read(folder.text()) == folder)
        for number in 125..<140 { folder = Folder(name: "\(number)", parent: folder) }
        #expect(throws: XMLValueError.self) { try folder.text() }
    }
}

extension XMLWriter {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension XMLElementValue {
    static func read(_ bytes: [UInt8]) throws -> XMLElementValue {
        let tree = try XMLTree(parsing: bytes, limits: XMLLimits())
        let root = tree.root
        let value: XMLAnyValue = try XMLReader(root, of: tree).read(root)
        return XMLElementValue(
            root.name, attributes: value.attributes, content: value.content, prefixes: value.prefixes)
    }
}
