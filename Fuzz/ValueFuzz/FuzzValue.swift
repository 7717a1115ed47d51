// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import XMLValues

/// A type in the form of generated code, with values of most built-in types.
struct FuzzValue: XMLCodable {
    var id: String?
    var texts: [String]
    var number: Int?
    var decimal: Decimal?
    var double: Double?
    var binary: XMLBinary?
    var hexadecimal: XMLHexBinary?
    var instant: XMLDateTime?
    var date: XMLDate?
    var time: XMLTime?
    var duration: XMLDuration?
    var month: XMLYearMonth?
    var name: XMLName?
    var list: XMLList<Float>?
    @Nillable var null: String?
    @Indirect var child: FuzzValue?
    var choices: [FuzzChoice]
    var others: [XMLElementValue]
    var otherAttributes: [XMLName: String]

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        try xml.attribute("id", id)
        try xml.attributes(otherAttributes)
        try xml.elements("s", texts)
        try xml.element("i", number)
        try xml.element("d", decimal)
        try xml.element("f", double)
        try xml.element("b", binary)
        try xml.element("h", hexadecimal)
        try xml.element("t", instant)
        try xml.element("date", date)
        try xml.element("time", time)
        try xml.element("p", duration)
        try xml.element("m", month)
        try xml.element("q", name)
        try xml.element("l", list)
        try xml.nillable("n", $null)
        try xml.element("c", child)
        try xml.groups(choices)
        try xml.any(others)
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        id = try xml.optionalAttribute("id")
        otherAttributes = xml.otherAttributes(except: [XMLName("id")])
        texts = try xml.elements("s")
        number = try xml.optionalElement("i", default: "7")
        decimal = try xml.optionalElement("d")
        double = try xml.optionalElement("f")
        binary = try xml.optionalElement("b")
        hexadecimal = try xml.optionalElement("h")
        instant = try xml.optionalElement("t")
        date = try xml.optionalElement("date")
        time = try xml.optionalElement("time")
        duration = try xml.optionalElement("p")
        month = try xml.optionalElement("m")
        name = try xml.optionalElement("q")
        list = try xml.optionalElement("l")
        _null = Nillable(projectedValue: try xml.optionalNillable("n"))
        _child = Indirect(wrappedValue: try xml.optionalElement("c"))
        choices = try xml.groups()
        others = try xml.anys(.other(than: ""))
    }
}

/// A choice in which the second alternative is a sequence.
enum FuzzChoice: XMLGroup {
    case one(Bool)
    case two(String, String?)

    static func begins(at xml: borrowing XMLReader) -> Bool { xml.isNext("x") || xml.isNext("y") }

    func encode(to xml: inout XMLWriter) throws(XMLValueError) {
        switch self {
        case .one(let value): try xml.element("x", value)
        case .two(let value, let other):
            try xml.element("y", value)
            try xml.element("z", other)
        }
    }

    init(from xml: inout XMLReader) throws(XMLValueError) {
        if xml.isNext("x") {
            self = .one(try xml.element("x"))
        } else {
            self = .two(try xml.element("y"), try xml.optionalElement("z"))
        }
    }
}
