// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An element of an XML document.
struct XMLElement {
    let name: String
    let attributes: [(name: String, value: String)]
    /// Where it begins, in bytes.
    let offset: Int
    var children: [XMLElement] = []
    /// The texts right in it.
    var text = ""

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    /// The first element in it with a name.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }
}

/// Reads the XML that Interface Builder and property lists use: UTF-8, without namespaces and without entities of its own.
///
/// libxml2 by way of FoundationXML expands entities that a document declares, and says where an error is only by its line.
struct XMLReader {
    private static let mostLevels = 200

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether bytes begin as a document does.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        var reader = XMLReader(bytes)
        reader.skipMark()
        reader.skipSpace()
        return reader.byte == UInt8(ascii: "<")
    }

    /// The document's element.
    mutating func document() throws(NibError) -> XMLElement {
        skipMark()
        var open: [XMLElement] = []
        while true {
            if open.isEmpty { skipSpace() }
            guard let byte else { throw .endsEarly(.xml, offset: index) }
            if byte != UInt8(ascii: "<") {
                guard let last = open.indices.last else { throw malformed }
                open[last].text += try text(until: UInt8(ascii: "<"))
            } else if try skipMarkup() {
                continue
            } else if skip("<![CDATA[") {
                guard let last = open.indices.last else { throw malformed }
                open[last].text += try string(try content(until: "]]>"))
            } else if skip("</") {
                let name = try name()
                skipSpace()
                guard skip(">"), let element = open.popLast(), element.name == name else { throw malformed }
                guard let last = open.indices.last else { return try finished(element) }
                open[last].children.append(element)
            } else {
                guard open.count < Self.mostLevels else { throw .tooDeep(most: Self.mostLevels, offset: index) }
                let (element, isEmpty) = try startTag()
                if !isEmpty {
                    open.append(element)
                } else if let last = open.indices.last {
                    open[last].children.append(element)
                } else {
                    return try finished(element)
                }
            }
        }
    }

    private mutating func finished(_ element: XMLElement) throws(NibError) -> XMLElement {
        skipSpace()
        while byte != nil {
            guard try skipMarkup() else { throw malformed }
            skipSpace()
        }
        return element
    }

    /// Skips a comment, an instruction or a document type that declares nothing.
    private mutating func skipMarkup() throws(NibError) -> Bool {
        if skip("<!--") {
            _ = try content(until: "-->")
        } else if skip("<?") {
            _ = try content(until: "?>")
        } else if skip("<!DOCTYPE") {
            guard !(try content(until: ">")).contains(UInt8(ascii: "[")) else { throw malformed }
        } else {
            return false
        }
        return true
    }

    private mutating func startTag() throws(NibError) -> (element: XMLElement, isEmpty: Bool) {
        let start = index
        guard skip("<") else { throw malformed }
        let name = try name()
        var attributes: [(name: String, value: String)] = []
        while true {
            skipSpace()
            if skip(">") { return (XMLElement(name: name, attributes: attributes, offset: start), false) }
            if skip("/>") { return (XMLElement(name: name, attributes: attributes, offset: start), true) }
            let attribute = try self.name()
            skipSpace()
            guard skip("=") else { throw malformed }
            skipSpace()
            guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw malformed }
            index += 1
            // Interface Builder writes about a dozen; a search among very many would take long.
            guard attributes.count < 100, !attributes.contains(where: { $0.name == attribute }) else { throw malformed }
            attributes.append((attribute, try text(until: quote)))
            index += 1
        }
    }

    private mutating func name() throws(NibError) -> String {
        let start = index
        while let byte, !Self.endsName(byte) { index += 1 }
        guard index > start else { throw malformed }
        return try string(bytes[start..<index])
    }

    private static func endsName(_ byte: UInt8) -> Bool { byte <= 0x20 || "<>/='\"&;".utf8.contains(byte) }

    /// Text with its references resolved, up to a byte that stays.
    private mutating func text(until end: UInt8) throws(NibError) -> String {
        var text: [UInt8] = []
        while let byte, byte != end {
            if byte == UInt8(ascii: "&") {
                index += 1
                text += try reference().utf8
            } else {
                text.append(byte)
                index += 1
            }
        }
        guard byte != nil else { throw .endsEarly(.xml, offset: index) }
        return try string(text[...])
    }

    private mutating func reference() throws(NibError) -> String {
        let start = index
        while let byte, byte != UInt8(ascii: ";"), index - start < 10 { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        guard skip(";") else { throw malformed }
        if let predefined = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] { return predefined }
        let number =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else { throw malformed }
        return String(scalar)
    }

    private mutating func content(until end: String) throws(NibError) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count {
            let stop = index
            if skip(end) { return bytes[start..<stop] }
            index += 1
        }
        throw .endsEarly(.xml, offset: index)
    }

    private func string(_ bytes: ArraySlice<UInt8>) throws(NibError) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else { throw malformed }
        return string
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var malformed: NibError { .malformed(.xml, offset: index) }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || (0x9...0xD).contains(byte) { index += 1 }
    }

    private mutating func skipMark() { _ = skip("\u{FEFF}") }
}
