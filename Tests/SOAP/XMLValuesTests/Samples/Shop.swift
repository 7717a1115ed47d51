// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLValues

let shop = "urn:shop"

/// A type in the form of generated code: attributes, simple elements, lists and defaults.
struct Item: XMLCodable {
    var id: String
    var count: Int32
    var price: Decimal
    var tags: [String]
    var unit: String
    @Nillable var note: String?

    init(
        id: String, count: Int32 = 1, price: Decimal, tags: [String] = [], unit: String = "kg", note: String? = nil
    ) {
        (self.id, self.count, self.price, self.tags, self.unit) = (id, count, price, tags, unit)
        self.note = note
    }

    static var xmlType: XMLName? { XMLName("Item", in: shop) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attribute("id", id)
        try xml.attribute("unit", unit)
        try xml.element("count", in: shop, count)
        try xml.element("price", in: shop, price)
        try xml.elements("tag", in: shop, tags)
        try xml.nillable("note", in: shop, $note)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        id = try xml.attribute("id")
        unit = try xml.attribute("unit", default: "kg")
        count = try xml.element("count", in: shop, default: "7")
        price = try xml.element("price", in: shop)
        tags = try xml.elements("tag", in: shop)
        _note = Nillable(projectedValue: try xml.optionalNillable("note", in: shop))
    }
}

/// A choice in which one alternative is a sequence.
enum Payment: XMLGroup {
    case card(String)
    case transfer(account: String, bank: String?)

    static func begins(at xml: borrowing XMLReader) -> Bool {
        xml.isNext("card", in: shop) || xml.isNext("account", in: shop)
    }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        switch self {
        case .card(let number): try xml.element("card", in: shop, number)
        case .transfer(let account, let bank):
            try xml.element("account", in: shop, account)
            try xml.element("bank", in: shop, bank)
        }
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        if xml.isNext("card", in: shop) {
            self = .card(try xml.element("card", in: shop))
        } else if xml.isNext("account", in: shop) {
            self = .transfer(
                account: try xml.element("account", in: shop), bank: try xml.optionalElement("bank", in: shop))
        } else {
            throw xml.noChoice("Payment")
        }
    }
}

struct Order: XMLCodable {
    var items: [Item]
    var payments: [Payment]
    var status: Status
    var others: [XMLElementValue] = []
    var otherAttributes: [XMLName: String] = [:]

    enum Status: String, XMLSimpleType { case open, closed }

    init(items: [Item] = [], payments: [Payment] = [], status: Status = .open) {
        (self.items, self.payments, self.status) = (items, payments, status)
    }

    static var xmlType: XMLName? { XMLName("Order", in: shop) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attributes(otherAttributes)
        try xml.elements("item", in: shop, items)
        try xml.groups(payments)
        try xml.element("status", in: shop, status)
        try xml.any(others)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        otherAttributes = xml.otherAttributes(except: [])
        items = try xml.elements("item", in: shop)
        payments = try xml.groups()
        status = try xml.element("status", in: shop)
        others = try xml.anys(.other(than: shop))
    }
}

/// A type with values of its own type.
struct Folder: XMLCodable {
    var name: String
    @Indirect var parent: Folder?
    @Nillable var next: Folder?

    init(name: String, parent: Folder? = nil, next: Folder? = nil) {
        self.name = name
        self.parent = parent
        self.next = next
    }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("name", name)
        try xml.element("parent", parent)
        try xml.nillable("next", $next)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        name = try xml.element("name")
        _parent = Indirect(wrappedValue: try xml.optionalElement("parent"))
        _next = Nillable(projectedValue: try xml.optionalNillable("next"))
    }
}

/// A type with elements in any order.
struct Person: XMLCodable {
    var first: String
    var last: String
    var age: Int?

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.element("first", first)
        try xml.element("last", last)
        try xml.element("age", age)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        try xml.beginAll()
        first = try xml.element("first")
        last = try xml.element("last")
        age = try xml.optionalElement("age")
        xml.endAll()
    }
}

/// A text with attributes.
struct Money: XMLCodable {
    var currency: String
    var value: Decimal

    init(_ value: Decimal, _ currency: String) { (self.value, self.currency) = (value, currency) }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attribute("currency", currency)
        try xml.text(value)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        currency = try xml.attribute("currency")
        value = try xml.text()
    }
}

/// An abstract type and its derived types.
enum AnyShape: XMLCodable {
    case circle(radius: Double)
    case square(side: Double)

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        switch self {
        case .circle(let radius):
            try xml.typeAttribute(XMLName("Circle", in: shop))
            try xml.element("radius", radius)
        case .square(let side):
            try xml.typeAttribute(XMLName("Square", in: shop))
            try xml.element("side", side)
        }
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        switch xml.xsiType {
        case XMLName("Circle", in: shop): self = .circle(radius: try xml.element("radius"))
        case XMLName("Square", in: shop): self = .square(side: try xml.element("side"))
        default: throw xml.unknownType(xml.xsiType)
        }
    }
}

/// A type with facets.
struct AccountNumber: XMLSimpleType {
    let value: String

    init(_ value: String) throws(XMLValueError) {
        try Self.check(value)
        self.value = value
    }

    private static func check(_ value: String) throws(XMLValueError) {
        try XMLFacets.check(value, maximumLength: 8, patterns: ["[A-Z]{2}\\d+"])
    }

    init(xmlText text: String, in scope: XMLScope) throws(XMLValueError) {
        value = String(xmlText: text, in: scope)
        if scope.checksFacets { try Self.check(value) }
    }

    func xmlText(in scope: inout XMLScope) throws(XMLValueError) -> String { value }
}

extension XMLCodable {
    /// Returns the document of the value, without the namespace declarations of its element.
    func text(_ name: String = "v", in namespace: String = "") throws -> String {
        String(decoding: try xml(XMLName(name, in: namespace)), as: UTF8.self)
    }

    /// Returns the value of a document.
    static func read(
        _ document: String, options: XMLReadingOptions = .strict
    ) throws(XMLValueError) -> Self {
        try Self(xml: Array(document.utf8), options: options)
    }
}
