// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Testing
import XMLValues

@Suite struct ReaderTests {
    private static let item =
        "<i xmlns='urn:shop' id='1'><count>2</count><price>3.50</price><tag>a</tag><tag>b</tag></i>"

    @Test("Attributes, elements, lists and defaults are read") func item() throws {
        let item = try Item.read(Self.item)
        #expect(item == Item(id: "1", count: 2, price: 3.5, tags: ["a", "b"]))
        #expect(item.$note == .absent)
        #expect(try Item.read(Self.item.replacing(">2<", with: "><")).count == 7)
    }

    @Test(
        "Comments, processing instructions, CDATA and white space change nothing",
        arguments: [
            (">2<", "> <!-- 9 -->2<?p 8?> <"), ("<tag>a", "\n<!-- x --> <?y?>\t<tag>a"), (">a<", "><![CDATA[a]]><"),
            (">3.50<", ">3<!-- -->.5<![CDATA[0]]><"), ("</i>", "\n<!-- end --></i>"),
        ])
    func noise(text: String, replacement: String) throws {
        #expect(try Item.read(Self.item.replacing(text, with: replacement)) == Item.read(Self.item))
    }

    @Test(
        "A message that does not match the schema is refused with the position",
        arguments: [
            (" id='1'", "", XMLValueError.missingAttribute(XMLName("id"), at: place("i"))),
            (
                "<price>3.50</price>", "",
                .missingElement(
                    XMLName("price", in: shop), found: XMLName("tag", in: shop), at: place("i"))
            ),
            ("</i>", "<x/></i>", .unexpectedElement(XMLName("x", in: shop), at: place("i/x"))),
            ("</i>", "<count>1</count></i>", .unexpectedElement(XMLName("count", in: shop), at: place("i/count"))),
            ("<tag>", "9<tag>", .unexpectedText("9", at: place("i"))),
            ("</i>", "9</i>", .unexpectedText("9", at: place("i"))),
            ("<tag>a", "<![CDATA[9]]><tag>a", .unexpectedText("9", at: place("i"))),
            (">2<", ">2<x/><", .unexpectedElement(XMLName("x", in: shop), at: place("i/count"))),
            (">2<", ">zwei<", .invalid(text: "zwei", type: "int", at: place("i/count"))),
            (">2<", ">3000000000<", .doesNotFit(text: "3000000000", type: "int", at: place("i/count"))),
            ("<count>", "<count xmlns:x='\(XMLNamespace.instance)' x:nil='1'>", .unexpectedNull(at: place("i/count"))),
            (
                "</i>", "<note xmlns:x='\(XMLNamespace.instance)' x:nil='true'>x</note></i>",
                .contentInNull(at: place("i/note"))
            ),
        ] as [(String, String, XMLValueError)])
    func refusals(text: String, replacement: String, error: XMLValueError) throws {
        #expect(throws: error) {
            try Item.read(Self.item.replacing(text, with: replacement))
        }
    }

    @Test("An error names the line") func lines() {
        #expect(throws: XMLValueError.invalid(text: "x", type: "decimal", at: XMLPlace(path: "v", line: 3))) {
            try Money.read("<?xml version='1.0'?>\n\n<v currency='EUR'>x</v>")
        }
    }

    @Test("Lenient reading accepts any order, unknown elements and texts") func lenient() throws {
        let message = """
            <i xmlns='urn:shop' id='1'>text<tag>a</tag><unknown/><price>3.50</price><note>n</note><tag>b</tag><count>2</count></i>
            """
        let expected = Item(id: "1", count: 2, price: 3.5, tags: ["a", "b"], note: "n")
        #expect(try Item.read(message, options: .lenient) == expected)
        #expect(throws: XMLValueError.self) { try Item.read(message) }
        #expect(throws: XMLValueError.self) {
            try Item.read(message.replacing("<price>3.50</price>", with: ""), options: .lenient)
        }
    }

    @Test("Facets are checked unless reading is lenient") func facets() throws {
        #expect(try AccountNumber.read("<v> AB12 </v>").value == "AB12")
        #expect(try AccountNumber.read("<v>12AB</v>", options: .lenient).value == "12AB")
        #expect(
            throws: XMLValueError.facet(.patterns(["[A-Z]{2}\\d+"]), value: "12AB", at: XMLPlace(path: "v", line: 1))
        ) { try AccountNumber.read("<v>12AB</v>") }
    }

    @Test("Elements of xs:all may have any order, each once") func all() throws {
        let person = try Person.read("<p><age>3</age><last>L</last><first>F</first></p>")
        #expect((person.first, person.last, person.age) == ("F", "L", 3))
        for wrong in [
            "<p><last>L</last></p>", "<p><last>L</last><first>F</first><last>L</last></p>",
            "<p><last>L</last>x<first>F</first></p>", "<p><last>L</last><other/><first>F</first></p>",
        ] {
            #expect(throws: XMLValueError.self) { try Person.read(wrong) }
        }
    }

    @Test("A text with attributes is read and written") func simpleContent() throws {
        let money = Money(12.5, "EUR")
        #expect(try money.text() == "<v currency=\"EUR\">12.5</v>")
        #expect(try Money.read(money.text()) == money)
    }

    @Test("Choices and repeated groups are read in their order") func groups() throws {
        var order = Order(items: [Item(id: "1", price: 1)], status: .closed)
        order.payments = [
            .card("1"), .transfer(account: "2", bank: nil), .transfer(account: "3", bank: "4"), .card("5"),
        ]
        order.others = [XMLElementValue(XMLName("x", in: "urn:x"), text: "y")]
        order.otherAttributes = [XMLName("a"): "1", XMLName("b", in: "urn:b"): "2"]
        let document = try order.xml(XMLName("order", in: shop))
        #expect(try Order(xml: document) == order)
        #expect(try Order(xml: document, options: .lenient) == order)
        #expect(throws: XMLValueError.self) {
            try Order.read("<o xmlns='urn:shop'><bank>1</bank><status>open</status></o>")
        }
        #expect(
            throws: XMLValueError.invalid(text: "x", type: "Status", at: XMLPlace(path: "o/status", line: 1))
        ) { try Order.read("<o xmlns='urn:shop'><status>x</status></o>") }
    }

    @Test("Lenient reading finds groups after other elements") func lenientGroups() throws {
        let order = try Order.read(
            """
            <o xmlns='urn:shop'><status>open</status><account>1</account><bank>2</bank><zip/><card>3</card>\
            <item id='1'><price>1</price><count>1</count></item><account>4</account></o>
            """, options: .lenient)
        #expect(order.payments == [.transfer(account: "1", bank: "2"), .card("3"), .transfer(account: "4", bank: nil)])
        #expect(order.items == [Item(id: "1", price: 1)])
    }

    @Test("A type is named in the message if its element's type is abstract") func types() throws {
        for shape in [AnyShape.circle(radius: 1.5), .square(side: 2)] {
            #expect(try AnyShape.read(shape.text()) == shape)
        }
        let square = "<v xmlns:x='\(XMLNamespace.instance)' xmlns:s='urn:shop' x:type=' s:Square '><side>2</side></v>"
        #expect(try AnyShape.read(square) == .square(side: 2))
        for (type, name) in [
            ("s:Oval", XMLName("Oval", in: shop)), ("Square", XMLName("Square")), ("q:Square", XMLName("q:Square")),
        ] {
            #expect(throws: XMLValueError.unknownType(name, at: XMLPlace(path: "v", line: 1))) {
                try AnyShape.read(square.replacing(" s:Square ", with: type))
            }
        }
        #expect(throws: XMLValueError.unknownType(nil, at: XMLPlace(path: "v", line: 1))) {
            try AnyShape.read("<v><side>2</side></v>")
        }
    }

    @Test("A document with another root, or none, is refused") func roots() {
        #expect(throws: XMLValueError.wrongRoot(expected: XMLName("a"), found: XMLName("b"))) {
            try String(xml: Array("<b/>".utf8), element: XMLName("a"))
        }
        for document in ["", "<a>", "<!DOCTYPE a><a/>", "<p:a/>"] {
            #expect(throws: XMLValueError.self) { try String.read(document) }
        }
    }

    @Test("The depth is limited") func depth() throws {
        let deep = String(repeating: "<e>", count: 120) + String(repeating: "</e>", count: 120)
        var options = XMLReadingOptions()
        #expect(try XMLAnyValue.read(deep, options: options).elements.count == 1)
        options.depth = 100
        #expect(throws: XMLValueError.self) { try XMLAnyValue.read(deep, options: options) }
    }

    private static func place(_ path: String) -> XMLPlace { XMLPlace(path: path, line: 1) }
}
